#include "engine/expr/ir_parser.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/expr/expression.h"

namespace rankd {
namespace {

/// What an op becomes and which fields it has.
enum class Shape : std::uint8_t {
  kConstant,  // value
  kConstNull,
  kReference,  // key_id or param_id
  kUnary,      // a
  kBinary,     // a, b
  kCoalesce,   // a, b
  kCall,       // fn, args
  kCompare,    // cmp, a, b
  kIn,         // lhs, list
  kNullTest,   // a
  kRegex,      // key_id, pattern, flags
};

struct OpSpec {
  std::string_view name;
  Shape shape;
  NodeOp op;
  Function function;
  std::array<std::string_view, 3> fields;
};

constexpr Function kNone{};
constexpr std::array kOps = {
    OpSpec{"const_number", Shape::kConstant, NodeOp::kInt, kNone, {"value"}},
    OpSpec{"const_bool", Shape::kConstant, NodeOp::kBool, kNone, {"value"}},
    OpSpec{"const_string", Shape::kConstant, NodeOp::kString, kNone, {"value"}},
    OpSpec{"const_null", Shape::kConstNull, NodeOp::kNull, kNone, {}},
    OpSpec{"key_ref", Shape::kReference, NodeOp::kKey, kNone, {"key_id"}},
    OpSpec{"param_ref", Shape::kReference, NodeOp::kParam, kNone, {"param_id"}},
    OpSpec{"add", Shape::kBinary, NodeOp::kAdd, kNone, {"a", "b"}},
    OpSpec{"sub", Shape::kBinary, NodeOp::kSub, kNone, {"a", "b"}},
    OpSpec{"mul", Shape::kBinary, NodeOp::kMul, kNone, {"a", "b"}},
    OpSpec{"div", Shape::kBinary, NodeOp::kDiv, kNone, {"a", "b"}},
    OpSpec{"mod", Shape::kBinary, NodeOp::kMod, kNone, {"a", "b"}},
    OpSpec{"neg", Shape::kUnary, NodeOp::kNeg, kNone, {"a"}},
    OpSpec{"coalesce", Shape::kCoalesce, NodeOp::kCall, Function::kCoalesce, {"a", "b"}},
    OpSpec{"call", Shape::kCall, NodeOp::kCall, kNone, {"fn", "args"}},
    OpSpec{"cmp", Shape::kCompare, NodeOp::kEq, kNone, {"cmp", "a", "b"}},
    OpSpec{"in", Shape::kIn, NodeOp::kIn, kNone, {"lhs", "list"}},
    OpSpec{"and", Shape::kBinary, NodeOp::kAnd, kNone, {"a", "b"}},
    OpSpec{"or", Shape::kBinary, NodeOp::kOr, kNone, {"a", "b"}},
    OpSpec{"not", Shape::kUnary, NodeOp::kNot, kNone, {"a"}},
    OpSpec{"is_null", Shape::kNullTest, NodeOp::kCall, Function::kIsNull, {"a"}},
    OpSpec{"not_null", Shape::kNullTest, NodeOp::kCall, Function::kNotNull, {"a"}},
    OpSpec{"regex", Shape::kRegex, NodeOp::kCall, Function::kRegex, {"key_id", "pattern", "flags"}},
};

constexpr std::array<std::pair<std::string_view, NodeOp>, 6> kComparisons = {{
    {"==", NodeOp::kEq},
    {"!=", NodeOp::kNe},
    {"<", NodeOp::kLt},
    {"<=", NodeOp::kLe},
    {">", NodeOp::kGt},
    {">=", NodeOp::kGe},
}};

/// Recursion is bounded by the depth limit.
class IrParser {
 public:
  IrParser(Ast& ast, Diagnostics& diagnostics) : ast_(ast), diagnostics_(diagnostics) {}

  NodeIndex Node(const Json& json, std::string pointer, std::size_t depth);

 private:
  NodeIndex Broken(SourcePlace place, std::string message) {
    if (!message.empty()) diagnostics_.Report(place, std::move(message));
    return Add(AstNode{.place = place});
  }
  NodeIndex Add(AstNode node, std::span<const NodeIndex> children = {});
  const OpSpec* FindOp(const Json& json, SourcePlace place);
  void CheckFields(const Json& json, SourcePlace place,
                   std::initializer_list<std::string_view> known);
  std::string Below(SourcePlace place, std::string_view field) const {
    return JsonPointer(diagnostics_.PointerAt(place), field);
  }
  /// The field's value; reports and returns nullptr when it is absent.
  const Json* Require(const Json& json, SourcePlace place, std::string_view field);
  NodeIndex Child(const Json& json, SourcePlace place, std::string_view field, std::size_t depth);

  NodeIndex Shaped(const OpSpec& spec, const Json& json, SourcePlace place, std::size_t depth);
  NodeIndex Constant(const OpSpec& spec, const Json& json, SourcePlace place);
  NodeIndex Reference(NodeOp op, const Json& json, SourcePlace place, std::string_view field);
  NodeIndex Call(const Json& json, SourcePlace place, std::size_t depth);
  NodeIndex Compare(const Json& json, SourcePlace place, std::size_t depth);
  NodeIndex In(const Json& json, SourcePlace place, std::size_t depth);
  NodeIndex Regex(const Json& json, SourcePlace place);
  NodeIndex Pattern(const Json& json, SourcePlace place);
  NodeIndex StringNode(const Json& json, SourcePlace place);

  Ast& ast_;
  Diagnostics& diagnostics_;
  bool full_ = false;  // the node limit was met and reported
};

NodeIndex IrParser::Add(AstNode node, std::span<const NodeIndex> children) {
  if (ast_.size() >= kMaxExpressionNodes && !full_) {
    full_ = true;
    diagnostics_.Report(node.place, "the expression has more than " +
                                        std::to_string(kMaxExpressionNodes) + " nodes");
  }
  return ast_.Add(node, children);
}

/// The value of a field, nullptr when it is absent or null.
const Json* Present(const Json& json, std::string_view field) {
  const Json* value = json.Find(field);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const Json* IrParser::Require(const Json& json, SourcePlace place, std::string_view field) {
  const Json* value = Present(json, field);
  if (value == nullptr) diagnostics_.Report(place, "the field " + Quoted(field) + " is missing");
  return value;
}

void IrParser::CheckFields(const Json& json, SourcePlace place,
                           std::initializer_list<std::string_view> known) {
  std::vector<std::string_view> names;
  std::copy_if(known.begin(), known.end(), std::back_inserter(names),
               [](std::string_view name) { return !name.empty(); });
  std::vector<std::string_view> seen;
  for (const JsonField& field : json.fields()) {
    if (std::find(names.begin(), names.end(), field.name) == names.end()) {
      if (field.value.is_null()) continue;
      diagnostics_.Report(diagnostics_.AddPointer(Below(place, field.name)),
                          "unknown field " + Quoted(field.name) + Suggestion(field.name, names));
    } else if (std::find(seen.begin(), seen.end(), field.name) != seen.end()) {
      diagnostics_.Report(diagnostics_.AddPointer(Below(place, field.name)),
                          "the field " + Quoted(field.name) + " is given twice");
    } else {
      seen.push_back(field.name);
    }
  }
}

const OpSpec* IrParser::FindOp(const Json& json, SourcePlace place) {
  if (!json.is_object()) {
    diagnostics_.Report(place, "expected an object with \"op\", not " + json.Describe());
    return nullptr;
  }
  const Json* op = Require(json, place, "op");
  if (op == nullptr) return nullptr;
  const SourcePlace op_place = diagnostics_.AddPointer(Below(place, "op"));
  const std::optional<std::string_view> name = op->AsString();
  if (!name) {
    diagnostics_.Report(op_place, "\"op\" must be a string, not " + op->Describe());
    return nullptr;
  }
  std::vector<std::string_view> names;
  for (const OpSpec& spec : kOps) {
    if (spec.name == *name) return &spec;
    names.push_back(spec.name);
  }
  diagnostics_.Report(op_place,
                      "unknown expression op " + Quoted(*name) + Suggestion(*name, names));
  return nullptr;
}

NodeIndex IrParser::Node(const Json& json, std::string pointer, std::size_t depth) {
  const SourcePlace place = diagnostics_.AddPointer(std::move(pointer));
  if (full_) return Broken(place, {});
  if (depth > kMaxExpressionDepth) {
    return Broken(place, "the expression is nested more than " +
                             std::to_string(kMaxExpressionDepth) + " deep");
  }
  const OpSpec* spec = FindOp(json, place);
  if (spec == nullptr) return Broken(place, {});
  CheckFields(json, place, {"op", spec->fields[0], spec->fields[1], spec->fields[2]});
  return Shaped(*spec, json, place, depth);
}

NodeIndex IrParser::Child(const Json& json, SourcePlace place, std::string_view field,
                          std::size_t depth) {
  const Json* value = Require(json, place, field);
  if (value == nullptr) return Broken(place, {});
  return Node(*value, Below(place, field), depth + 1);
}

NodeIndex IrParser::Shaped(const OpSpec& spec, const Json& json, SourcePlace place,
                           std::size_t depth) {
  AstNode node;
  node.op = spec.op;
  node.function = spec.function;
  node.place = place;
  switch (spec.shape) {
    case Shape::kConstant:
      return Constant(spec, json, place);
    case Shape::kConstNull:
      return Add(node);
    case Shape::kReference:
      return Reference(spec.op, json, place, spec.fields[0]);
    case Shape::kUnary:
    case Shape::kNullTest: {
      const NodeIndex child = Child(json, place, "a", depth);
      return Add(node, std::span(&child, 1));
    }
    case Shape::kBinary:
    case Shape::kCoalesce: {
      const NodeIndex a = Child(json, place, "a", depth);
      const NodeIndex b = Child(json, place, "b", depth);
      const NodeIndex children[] = {a, b};
      return Add(node, children);
    }
    case Shape::kCall:
      return Call(json, place, depth);
    case Shape::kCompare:
      return Compare(json, place, depth);
    case Shape::kIn:
      return In(json, place, depth);
    case Shape::kRegex:
      return Regex(json, place);
  }
  return Broken(place, {});
}

NodeIndex IrParser::Constant(const OpSpec& spec, const Json& json, SourcePlace place) {
  const Json* value = Require(json, place, "value");
  if (value == nullptr) return Broken(place, {});
  const SourcePlace value_place = diagnostics_.AddPointer(Below(place, "value"));
  AstNode node;
  node.op = spec.op;
  node.place = place;
  if (spec.op == NodeOp::kString) {
    const std::optional<std::string_view> text = value->AsString();
    if (!text) return Broken(value_place, "expected a string, not " + value->Describe());
    node.text = ast_.AddString(*text);
  } else if (spec.op == NodeOp::kBool) {
    const std::optional<bool> boolean = value->AsBool();
    if (!boolean) return Broken(value_place, "expected true or false, not " + value->Describe());
    node.boolean = *boolean;
  } else if (value->kind() == Json::Kind::kUint) {
    return Broken(value_place, "the integer does not fit 64 bits");
  } else if (const std::optional<std::int64_t> integer = value->AsInt()) {
    node.integer = *integer;
  } else if (const std::optional<double> number = value->AsNumber()) {
    node.op = NodeOp::kFloat;
    node.number = *number;
  } else {
    return Broken(value_place, "expected a number, not " + value->Describe());
  }
  return Add(node);
}

NodeIndex IrParser::Reference(NodeOp op, const Json& json, SourcePlace place,
                              std::string_view field) {
  const Json* value = Require(json, place, field);
  if (value == nullptr) return Broken(place, {});
  AstNode node;
  node.op = op;
  node.place = diagnostics_.AddPointer(Below(place, field));
  if (const std::optional<std::int64_t> id = value->AsInt()) {
    node.by_registry_id = true;
    node.integer = *id;
  } else if (const std::optional<std::string_view> name = value->AsString()) {
    node.text = ast_.AddString(*name);
  } else {
    return Broken(node.place, "expected a registry id or a name, not " + value->Describe());
  }
  return Add(node);
}

NodeIndex IrParser::Call(const Json& json, SourcePlace place, std::size_t depth) {
  AstNode node;
  node.place = place;
  if (const Json* fn = Require(json, place, "fn")) {
    const SourcePlace fn_place = diagnostics_.AddPointer(Below(place, "fn"));
    const std::optional<std::string_view> name = fn->AsString();
    const FunctionSpec* spec = name ? FindFunction(*name) : nullptr;
    if (spec != nullptr) {
      node.op = NodeOp::kCall;
      node.function = spec->function;
    } else {
      diagnostics_.Report(fn_place, name ? UnknownFunction(*name)
                                         : "\"fn\" must be a string, not " + fn->Describe());
    }
  }
  std::vector<NodeIndex> arguments;
  if (const Json* args = Require(json, place, "args")) {
    const std::string args_pointer = Below(place, "args");
    if (!args->is_array()) {
      return Broken(diagnostics_.AddPointer(args_pointer),
                    "expected a list of arguments, not " + args->Describe());
    }
    for (const Json& argument : args->items()) {
      if (full_) break;
      arguments.push_back(Node(argument, JsonPointer(args_pointer, arguments.size()), depth + 1));
    }
  } else {
    node.op = NodeOp::kBroken;
  }
  return Add(node, arguments);
}

NodeIndex IrParser::Compare(const Json& json, SourcePlace place, std::size_t depth) {
  AstNode node;
  node.place = place;
  if (const Json* cmp = Require(json, place, "cmp")) {
    const std::optional<std::string_view> name = cmp->AsString();
    const auto* found =
        std::find_if(kComparisons.begin(), kComparisons.end(),
                     [&](const auto& comparison) { return name && comparison.first == *name; });
    if (found != kComparisons.end()) {
      node.op = found->second;
    } else {
      diagnostics_.Report(diagnostics_.AddPointer(Below(place, "cmp")),
                          "expected one of == != < <= > >=, not " + cmp->Describe());
    }
  }
  const NodeIndex a = Child(json, place, "a", depth);
  const NodeIndex b = Child(json, place, "b", depth);
  const NodeIndex children[] = {a, b};
  return Add(node, children);
}

/// A literal of a list, bare or as a const_* object; false when it is neither.
bool ReadItem(const Json& json, Value& out) {
  const Json* value = &json;
  if (json.is_object()) {
    const Json* op = json.Find("op");
    const std::string_view name = op != nullptr ? op->AsString().value_or("") : "";
    if (name == "const_null") return json.fields().size() == 1;
    value = json.Find("value");
    if (value == nullptr || json.fields().size() != 2) return false;
    const bool fits = name == "const_string" ? value->is_string()
                      : name == "const_bool" ? value->AsBool().has_value()
                                             : name == "const_number" && value->AsNumber();
    if (!fits) return false;
  }
  if (value->is_null()) {
    out = std::monostate{};
  } else if (const auto boolean = value->AsBool()) {
    out = *boolean;
  } else if (const auto text = value->AsString()) {
    out = std::string(*text);
  } else if (const auto integer = value->AsInt()) {
    out = *integer;
  } else if (value->kind() == Json::Kind::kFloat) {
    out = *value->AsNumber();
  } else {
    return false;
  }
  return true;
}

NodeIndex IrParser::In(const Json& json, SourcePlace place, std::size_t depth) {
  AstNode node;
  node.op = NodeOp::kIn;
  node.place = place;
  const NodeIndex lhs = Child(json, place, "lhs", depth);
  const Json* list = Require(json, place, "list");
  if (list == nullptr) return Broken(place, {});
  const std::string list_pointer = Below(place, "list");
  const SourcePlace list_place = diagnostics_.AddPointer(list_pointer);
  if (!list->is_array()) {
    return Broken(list_place, "expected a list of literals, not " + list->Describe());
  }
  std::vector<ListItem> items;
  items.reserve(list->items().size());
  for (const Json& json_item : list->items()) {
    ListItem item;
    const std::size_t index = static_cast<std::size_t>(&json_item - list->items().data());
    // Very long lists share one pointer, to keep a million short strings out of memory.
    item.place = index < kMaxExpressionNodes
                     ? diagnostics_.AddPointer(JsonPointer(list_pointer, index))
                     : list_place;
    if (ReadItem(json_item, item.value)) {
      items.push_back(std::move(item));
    } else {
      const bool large = json_item.kind() == Json::Kind::kUint;
      diagnostics_.Report(item.place, large ? "the integer does not fit 64 bits"
                                            : "expected a literal, not " + json_item.Describe());
    }
  }
  node.list = ast_.AddList(std::move(items));
  return Add(node, std::span(&lhs, 1));
}

NodeIndex IrParser::StringNode(const Json& json, SourcePlace place) {
  const std::optional<std::string_view> text = json.AsString();
  if (!text) return Broken(place, "expected a string, not " + json.Describe());
  AstNode node;
  node.op = NodeOp::kString;
  node.place = place;
  node.text = ast_.AddString(*text);
  return Add(node);
}

NodeIndex IrParser::Pattern(const Json& json, SourcePlace place) {
  if (!json.is_object()) {
    return Broken(place, "expected an object with \"kind\", not " + json.Describe());
  }
  const Json* kind = Require(json, place, "kind");
  if (kind == nullptr) return Broken(place, {});
  const std::string_view name = kind->AsString().value_or("");
  if (name == "literal") {
    CheckFields(json, place, {"kind", "value"});
    const Json* value = Require(json, place, "value");
    if (value == nullptr) return Broken(place, {});
    return StringNode(*value, diagnostics_.AddPointer(Below(place, "value")));
  }
  if (name == "param") {
    CheckFields(json, place, {"kind", "param_id"});
    return Reference(NodeOp::kParam, json, place, "param_id");
  }
  return Broken(diagnostics_.AddPointer(Below(place, "kind")),
                "expected \"literal\" or \"param\", not " + kind->Describe());
}

NodeIndex IrParser::Regex(const Json& json, SourcePlace place) {
  AstNode node;
  node.op = NodeOp::kCall;
  node.function = Function::kRegex;
  node.place = place;
  std::vector<NodeIndex> children;
  children.push_back(Reference(NodeOp::kKey, json, place, "key_id"));
  const Json* pattern = Require(json, place, "pattern");
  children.push_back(pattern == nullptr
                         ? Broken(place, {})
                         : Pattern(*pattern, diagnostics_.AddPointer(Below(place, "pattern"))));
  if (const Json* flags = Present(json, "flags")) {
    children.push_back(StringNode(*flags, diagnostics_.AddPointer(Below(place, "flags"))));
  }
  return Add(node, children);
}

}  // namespace

Ast ParseIr(const Json& ir, Diagnostics& diagnostics) {
  Ast ast;
  (void)IrParser(ast, diagnostics).Node(ir, "", 1);
  return ast;
}

}  // namespace rankd
