#include "tests/expr/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <re2/re2.h>

#include "engine/base/number_text.h"

namespace rankd::test {
namespace {

__extension__ using Wide = __int128;

using Type = std::optional<ValueType>;

bool OneOf(const std::string& op, std::initializer_list<const char*> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

Type Unified(const std::vector<Tree>& kids, std::size_t first) {
  Type type;
  for (std::size_t i = first; i < kids.size(); ++i) {
    if (!kids[i].type) continue;
    if (type && *type != *kids[i].type) return ValueType::kFloat;
    type = kids[i].type;
  }
  return type;
}

Type TypeOfNode(const std::string& op, const std::vector<Tree>& kids) {
  if (OneOf(op, {"/", "sqrt", "exp", "log", "log1p", "pow", "sigmoid"})) return ValueType::kFloat;
  if (OneOf(op, {"floor", "ceil", "round", "len"})) return ValueType::kInt;
  if (OneOf(op, {"lower", "text", "concat"})) return ValueType::kString;
  if (OneOf(op, {"+", "-", "*", "%", "neg", "abs", "clamp", "min", "max", "coalesce"})) {
    return Unified(kids, 0);
  }
  if (op == "if") return Unified(kids, 1);
  return ValueType::kBool;
}

Value FitInt(Wide value) {
  if (value > std::numeric_limits<std::int64_t>::max()) return {};
  if (value < std::numeric_limits<std::int64_t>::min()) return {};
  return static_cast<std::int64_t>(value);
}
Value FitFloat(double value) { return std::isfinite(value) ? Value(value) : Value(); }
Value FitInt(double value) {
  if (value >= 9223372036854775808.0 || value < -9223372036854775808.0) return {};
  return static_cast<std::int64_t>(value);
}

double AsFloat(const Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
}

Value Convert(const Value& value, Type type) {
  if (type == ValueType::kFloat && std::holds_alternative<std::int64_t>(value)) {
    return AsFloat(value);
  }
  return value;
}

bool True(const Value& value) { return !IsNull(value) && std::get<bool>(value); }

/// -1, 0 or 1; neither is null.
int Order(const Value& a, const Value& b) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (std::holds_alternative<std::string>(a)) {
    const int c = std::get<std::string>(a).compare(std::get<std::string>(b));
    return c < 0 ? -1 : c > 0 ? 1 : 0;
  }
  if (std::holds_alternative<bool>(a)) return order(std::get<bool>(a), std::get<bool>(b));
  if (std::holds_alternative<std::int64_t>(a) && std::holds_alternative<std::int64_t>(b)) {
    return order(std::get<std::int64_t>(a), std::get<std::int64_t>(b));
  }
  return order(AsFloat(a), AsFloat(b));
}

bool Compare(const Tree& tree, const Value& a, const Value& b) {
  const std::string& op = tree.op;
  if (tree.kids[0].op == "null" || tree.kids[1].op == "null") {
    const bool null = IsNull(tree.kids[0].op == "null" ? b : a);
    if (op == "==") return null;
    if (op == "!=") return !null;
    return false;
  }
  if (IsNull(a) || IsNull(b)) return false;
  const int order = Order(a, b);
  if (op == "==") return order == 0;
  if (op == "!=") return order != 0;
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  return order >= 0;
}

Value IntArithmetic(const std::string& op, const std::vector<Value>& v) {
  const Wide a = std::get<std::int64_t>(v[0]);
  if (op == "neg") return FitInt(-a);
  if (op == "abs") return FitInt(a < 0 ? -a : a);
  const Wide b = std::get<std::int64_t>(v[1]);
  if (op == "+") return FitInt(a + b);
  if (op == "-") return FitInt(a - b);
  if (op == "*") return FitInt(a * b);
  return b == 0 ? Value() : FitInt(a % b);
}

Value FloatFunction(const std::string& op, const std::vector<double>& v) {
  const double a = v[0];
  if (op == "neg") return -a;
  if (op == "abs") return std::fabs(a);
  if (op == "floor") return FitInt(std::floor(a));
  if (op == "ceil") return FitInt(std::ceil(a));
  if (op == "round") return FitInt(std::round(a));
  if (op == "sqrt") return FitFloat(std::sqrt(a));
  if (op == "exp") return FitFloat(std::exp(a));
  if (op == "log") return FitFloat(std::log(a));
  if (op == "log1p") return FitFloat(std::log1p(a));
  if (op == "sigmoid") return FitFloat(1 / (1 + std::exp(-a)));
  const double b = v[1];
  if (op == "+") return FitFloat(a + b);
  if (op == "-") return FitFloat(a - b);
  if (op == "*") return FitFloat(a * b);
  if (op == "/") return FitFloat(a / b);
  if (op == "%") return FitFloat(std::fmod(a, b));
  return FitFloat(std::pow(a, b));
}

template <typename T>
T Extreme(bool least, T a, T b) {
  if (least) return b < a ? b : a;
  return b > a ? b : a;
}

Value Numeric(const Tree& tree, std::vector<Value> v) {
  const std::string& op = tree.op;
  if (tree.type == ValueType::kInt && OneOf(op, {"floor", "ceil", "round"}) &&
      tree.kids[0].type == ValueType::kInt) {
    return v[0];
  }
  for (Value& value : v) value = Convert(value, tree.type);
  if (op == "clamp") {
    if (tree.type == ValueType::kInt) {
      const auto at = [&](std::size_t i) { return std::get<std::int64_t>(v[i]); };
      return Extreme(false, at(1), Extreme(true, at(2), at(0)));
    }
    const auto at = [&](std::size_t i) { return std::get<double>(v[i]); };
    return Extreme(false, at(1), Extreme(true, at(2), at(0)));
  }
  if (tree.type == ValueType::kInt && OneOf(op, {"+", "-", "*", "%", "neg", "abs"})) {
    return IntArithmetic(op, v);
  }
  std::vector<double> floats;
  for (const Value& value : v) floats.push_back(AsFloat(value));
  return FloatFunction(op, floats);
}

Value MinMax(const Tree& tree, const std::vector<Value>& v) {
  Value best;
  for (const Value& raw : v) {
    const Value value = Convert(raw, tree.type);
    if (IsNull(value)) continue;
    const bool better =
        IsNull(best) || (tree.op == "min" ? Order(value, best) < 0 : Order(value, best) > 0);
    if (better) best = value;
  }
  return best;
}

std::string TextOf(const Value& value) {
  std::string out;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  AppendFloat(out, std::get<double>(value));
  return out;
}

Value StringFunction(const std::string& op, const std::vector<Value>& v) {
  if (op == "text") return TextOf(v[0]);
  const std::string& a = std::get<std::string>(v[0]);
  if (op == "lower") {
    std::string out = a;
    for (char& c : out) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return out;
  }
  if (op == "len") {
    std::int64_t count = 0;
    for (const char c : a) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
  }
  std::string out;
  for (const Value& part : v) out += std::get<std::string>(part);
  return out;
}

/// Compiled once, not once a row.
const re2::RE2& Compiled(const std::string& pattern, bool ignore_case) {
  static std::map<std::pair<std::string, bool>, re2::RE2> known;
  if (known.size() > 100) known.clear();
  const auto found = known.find({pattern, ignore_case});
  if (found != known.end()) return found->second;
  re2::RE2::Options options;
  options.set_case_sensitive(!ignore_case);
  return known
      .emplace(std::piecewise_construct, std::forward_as_tuple(pattern, ignore_case),
               std::forward_as_tuple(pattern, options))
      .first->second;
}

bool StringPredicate(const std::string& op, const std::vector<Value>& v) {
  const std::string& a = std::get<std::string>(v[0]);
  const std::string& b = std::get<std::string>(v[1]);
  if (op == "starts_with") return a.substr(0, b.size()) == b;
  if (op == "ends_with") return a.size() >= b.size() && a.substr(a.size() - b.size()) == b;
  if (op == "contains") return a.find(b) != std::string::npos;
  const bool ignore_case = v.size() == 3 && !std::get<std::string>(v[2]).empty();
  return re2::RE2::PartialMatch(a, Compiled(b, ignore_case));
}

bool Listed(const Tree& tree, const Value& value) {
  if (IsNull(value)) return false;
  return std::any_of(tree.list.begin(), tree.list.end(),
                     [&](const Value& item) { return !IsNull(item) && Order(value, item) == 0; });
}

}  // namespace

Tree Literal(Value value) {
  Tree tree;
  tree.op = "literal";
  tree.type = static_cast<ValueType>(value.index() - 1);
  tree.literal = std::move(value);
  return tree;
}

Tree NullLiteral() {
  Tree tree;
  tree.op = "null";
  return tree;
}

Tree Key(std::string name, ValueType type) {
  Tree tree;
  tree.op = "key";
  tree.name = std::move(name);
  tree.type = type;
  return tree;
}

Tree Param(std::string name, ValueType type) {
  Tree tree = Key(std::move(name), type);
  tree.op = "param";
  return tree;
}

Tree Node(std::string op, std::vector<Tree> kids) {
  Tree tree;
  tree.type = TypeOfNode(op, kids);
  tree.op = std::move(op);
  tree.kids = std::move(kids);
  return tree;
}

Tree In(Tree operand, std::vector<Value> list) {
  Tree tree = Node("in", {std::move(operand)});
  tree.list = std::move(list);
  return tree;
}

Value Reference(const Tree& tree, const Names& names) {
  const std::string& op = tree.op;
  if (op == "literal") return tree.literal;
  if (op == "null") return {};
  if (op == "key") return names(tree.name);
  if (op == "param") return names("P." + tree.name);
  std::vector<Value> v;
  for (const Tree& kid : tree.kids) v.push_back(Reference(kid, names));
  if (op == "&&") return True(v[0]) && True(v[1]);
  if (op == "||") return True(v[0]) || True(v[1]);
  if (op == "!") return !True(v[0]);
  if (op == "in") return Listed(tree, v[0]);
  if (OneOf(op, {"==", "!=", "<", "<=", ">", ">="})) return Compare(tree, v[0], v[1]);
  if (op == "is_null") return IsNull(v[0]);
  if (op == "not_null") return !IsNull(v[0]);
  if (op == "if") return Convert(True(v[0]) ? v[1] : v[2], tree.type);
  if (op == "coalesce") {
    const auto found = std::find_if(v.begin(), v.end(), [](const Value& x) { return !IsNull(x); });
    return found == v.end() ? Value() : Convert(*found, tree.type);
  }
  if (OneOf(op, {"min", "max"})) return MinMax(tree, v);
  const bool any_null = std::any_of(v.begin(), v.end(), IsNull);
  if (OneOf(op, {"regex", "starts_with", "ends_with", "contains"})) {
    return !any_null && StringPredicate(op, v);
  }
  if (any_null) return {};
  if (OneOf(op, {"lower", "len", "text", "concat"})) return StringFunction(op, v);
  return Numeric(tree, std::move(v));
}

}  // namespace rankd::test
