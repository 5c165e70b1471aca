// Reference trees in both notations.
#include <algorithm>
#include <map>

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "tests/expr/reference.h"
#include "tests/expr/sample.h"

namespace rankd::test {
namespace {

/// Loosest 1; a call or a leaf is 8.
int Level(const Tree& tree) {
  static const std::map<std::string, int> levels = {
      {"||", 1}, {"&&", 2}, {"!", 3}, {"==", 4}, {"!=", 4}, {"<", 4}, {"<=", 4}, {">", 4},
      {">=", 4}, {"in", 4}, {"+", 5}, {"-", 5},  {"*", 6},  {"/", 6}, {"%", 6},  {"neg", 7}};
  const auto found = levels.find(tree.op);
  if (found != levels.end()) return found->second;
  // A negative literal is written with the sign.
  const bool sign =
      tree.op == "literal" && tree.type != ValueType::kString && Show(tree.literal).front() == '-';
  return sign ? 7 : 8;
}

std::string LiteralText(const Value& value) { return Show(value); }

std::string Inside(const Tree& tree, int least_level) {
  const std::string text = ToText(tree);
  return Level(tree) < least_level ? "(" + text + ")" : text;
}

std::string Joined(const std::vector<Value>& list) {
  std::string out;
  for (const Value& item : list) {
    if (!out.empty()) out += ", ";
    out += LiteralText(item);
  }
  return out;
}

std::string Quote(const std::string& text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string Field(const char* name, const std::string& json) {
  return std::string(",\"") + name + "\":" + json;
}

std::string ConstIr(const Value& value) {
  const char* op = std::holds_alternative<bool>(value)          ? "const_bool"
                   : std::holds_alternative<std::string>(value) ? "const_string"
                                                                : "const_number";
  return std::string("{\"op\":\"") + op + "\"" + Field("value", LiteralText(value)) + "}";
}

}  // namespace

std::string ToText(const Tree& tree) {
  const std::string& op = tree.op;
  const int level = Level(tree);
  if (op == "literal") return LiteralText(tree.literal);
  if (op == "null") return "null";
  if (op == "key") return tree.name;
  if (op == "param") return "P." + tree.name;
  if (op == "neg") return "-" + Inside(tree.kids[0], 7);
  if (op == "!") return "!" + Inside(tree.kids[0], 3);
  if (op == "in") return Inside(tree.kids[0], 5) + " in [" + Joined(tree.list) + "]";
  if (level == 4) return Inside(tree.kids[0], 5) + " " + op + " " + Inside(tree.kids[1], 5);
  if (level < 8) {
    return Inside(tree.kids[0], level) + " " + op + " " + Inside(tree.kids[1], level + 1);
  }
  std::string out = op + "(";
  for (std::size_t i = 0; i < tree.kids.size(); ++i) {
    out += (i == 0 ? "" : ", ") + ToText(tree.kids[i]);
  }
  return out + ")";
}

std::string ToIr(const Tree& tree) {
  static const std::map<std::string, std::string> ops = {{"+", "add"},
                                                         {"-", "sub"},
                                                         {"*", "mul"},
                                                         {"/", "div"},
                                                         {"%", "mod"},
                                                         {"neg", "neg"},
                                                         {"&&", "and"},
                                                         {"||", "or"},
                                                         {"!", "not"},
                                                         {"is_null", "is_null"},
                                                         {"not_null", "not_null"}};
  const std::string& op = tree.op;
  if (op == "literal") return ConstIr(tree.literal);
  if (op == "null") return "{\"op\":\"const_null\"}";
  if (op == "key") {
    // By registry id where there is one.
    const auto id = TestSchema().key(KeyNamed(tree.name)).registry_id;
    return "{\"op\":\"key_ref\"" + Field("key_id", id ? std::to_string(*id) : Quote(tree.name)) +
           "}";
  }
  if (op == "param") return "{\"op\":\"param_ref\"" + Field("param_id", Quote(tree.name)) + "}";
  if (op == "in") {
    return "{\"op\":\"in\"" + Field("lhs", ToIr(tree.kids[0])) +
           Field("list", "[" + Joined(tree.list) + "]") + "}";
  }
  if (op == "regex" && tree.kids[0].op == "key") {
    std::string out = "{\"op\":\"regex\"" + Field("key_id", Quote(tree.kids[0].name));
    out +=
        tree.kids[1].op == "param"
            ? ",\"pattern\":{\"kind\":\"param\",\"param_id\":" + Quote(tree.kids[1].name) + "}"
            : ",\"pattern\":{\"kind\":\"literal\",\"value\":" + LiteralText(tree.kids[1].literal) +
                  "}";
    if (tree.kids.size() == 3) out += Field("flags", LiteralText(tree.kids[2].literal));
    return out + "}";
  }
  const auto found = ops.find(op);
  if (Level(tree) == 4) {
    return "{\"op\":\"cmp\"" + Field("cmp", Quote(op)) + Field("a", ToIr(tree.kids[0])) +
           Field("b", ToIr(tree.kids[1])) + "}";
  }
  if (found != ops.end() || (op == "coalesce" && tree.kids.size() == 2)) {
    std::string out = "{\"op\":\"" + (found == ops.end() ? op : found->second) + "\"" +
                      Field("a", ToIr(tree.kids[0]));
    if (tree.kids.size() == 2) out += Field("b", ToIr(tree.kids[1]));
    return out + "}";
  }
  std::string args;
  for (const Tree& kid : tree.kids) args += (args.empty() ? "" : ",") + ToIr(kid);
  return "{\"op\":\"call\"" + Field("fn", Quote(op)) + Field("args", "[" + args + "]") + "}";
}

}  // namespace rankd::test
