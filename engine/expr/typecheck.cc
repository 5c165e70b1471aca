#include "engine/expr/typecheck.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/expr/names.h"
#include "engine/expr/regex.h"

namespace rankd {
namespace {

using enum StaticType;

bool IsNumber(StaticType type) {
  return type == kInt || type == kFloat || type == kNull || type == kUnknown;
}
bool Fits(StaticType type, StaticType wanted) {
  return type == wanted || type == kNull || type == kUnknown;
}

std::string_view StaticTypeName(StaticType type) {
  switch (type) {
    case kUnknown:
      return "unknown";
    case kNull:
      return "null";
    default:
      return TypeName(ValueTypeOf(type));
  }
}

std::string_view Spelling(const AstNode& node) {
  static constexpr std::string_view kBinary[] = {
      "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  if (node.op == NodeOp::kNeg) return "-";
  if (node.op == NodeOp::kNot) return "!";
  if (node.op == NodeOp::kIn) return "in";
  return kBinary[static_cast<int>(node.op) - static_cast<int>(NodeOp::kAdd)];
}

class Typechecker {
 public:
  Typechecker(Ast& ast, const ExpressionScope& scope, Diagnostics& diagnostics)
      : ast_(ast), scope_(scope), diagnostics_(diagnostics), names_(scope, diagnostics) {}

  void Check() {
    for (NodeIndex i = 0; i < ast_.size(); ++i) ast_.at(i).type = TypeOfNode(ast_.at(i));
    PlaceAggregates();
    CheckTarget();
  }

 private:
  /// Keys belong into aggregates in a scalar, aggregates nowhere else than in a scalar's top part.
  void PlaceAggregates();
  void CheckTarget();

  StaticType TypeOfNode(AstNode& node);
  StaticType TypeOfOperator(const AstNode& node);
  StaticType TypeOfCompare(const AstNode& node);
  StaticType TypeOfIn(const AstNode& node);
  StaticType TypeOfCall(const AstNode& node);
  StaticType TypeOfAggregate(const AstNode& node, Function function);
  StaticType TypeOfRegex(const AstNode& node);

  /// Numbers or nulls, unified; reports and gives kUnknown otherwise.
  StaticType Numbers(const AstNode& node);
  /// One type, ints and floats unified.
  StaticType Same(const AstNode& node, std::size_t first);
  void Want(const AstNode& node, std::size_t argument, StaticType wanted);

  void Report(const AstNode& node, std::string message) {
    diagnostics_.Report(node.place, std::move(message));
  }
  StaticType ChildType(const AstNode& node, std::size_t which) const {
    return ast_.child(node, which).type;
  }
  /// "\"+\"" or "pow()".
  std::string Name(const AstNode& node) const {
    return node.op == NodeOp::kCall ? std::string(FunctionName(node.function)) + "()"
                                    : Quoted(Spelling(node));
  }

  Ast& ast_;
  const ExpressionScope& scope_;
  Diagnostics& diagnostics_;
  NameResolver names_;
};

void Typechecker::PlaceAggregates() {
  // kBelowBroken: an unknown function may have been meant as an aggregate, so say nothing more.
  enum Where : std::uint8_t { kTop, kInAggregate, kBelowBroken };
  std::vector<Where> where(ast_.size(), kTop);
  for (NodeIndex i = static_cast<NodeIndex>(ast_.size()); i-- > 0;) {
    const AstNode& node = ast_.at(i);
    Where below = where[i];
    if (node.op == NodeOp::kBroken) {
      below = kBelowBroken;
    } else if (node.op == NodeOp::kCall && IsAggregate(node.function)) {
      if (scope_.kind == ExpressionKind::kRow) {
        Report(node, Name(node) + " is an aggregate; it has no meaning for a single row");
      } else if (where[i] == kInAggregate) {
        Report(node, "aggregates do not nest; " + Name(node) + " stands inside another");
      }
      below = kInAggregate;
    } else if (node.op == NodeOp::kKey && scope_.kind == ExpressionKind::kScalar &&
               where[i] == kTop && node.type != kUnknown) {
      const std::string key =
          node.by_registry_id ? "a key" : "the key " + Quoted(ast_.string(node));
      Report(node, key +
                       " has a value for each row; in a scalar expression it must stand inside "
                       "an aggregate, such as first()");
    }
    for (const NodeIndex child : ast_.children(i)) where[child] = below;
  }
}

void Typechecker::CheckTarget() {
  if (!scope_.target || ast_.size() == 0) return;
  const AstNode& root = ast_.at(ast_.root());
  const StaticType target = StaticTypeOf(*scope_.target);
  if (Fits(root.type, target) || (root.type == kInt && target == kFloat)) return;
  std::string message = "the expression is of type " + std::string(StaticTypeName(root.type));
  message += scope_.target_name.empty() ? ", not " + std::string(TypeName(*scope_.target))
                                        : ", which does not suit " + scope_.target_name;
  if (root.type == kFloat && target == kInt) message += "; floor() and round() give an int";
  Report(root, std::move(message));
}

StaticType Typechecker::TypeOfNode(AstNode& node) {
  switch (node.op) {
    case NodeOp::kBroken:
      return kUnknown;
    case NodeOp::kNull:
      return kNull;
    case NodeOp::kInt:
      return kInt;
    case NodeOp::kFloat:
      return kFloat;
    case NodeOp::kBool:
      return kBool;
    case NodeOp::kString:
      return kString;
    case NodeOp::kKey:
      return names_.Key(ast_, node);
    case NodeOp::kParam:
      return names_.Param(ast_, node);
    case NodeOp::kLoopVariable:
      return names_.LoopVariable(ast_, node);
    case NodeOp::kErrorField:
      return names_.ErrorField(ast_, node);
    case NodeOp::kCall:
      return TypeOfCall(node);
    default:
      return TypeOfOperator(node);
  }
}

StaticType Typechecker::TypeOfOperator(const AstNode& node) {
  if (IsComparison(node.op)) return TypeOfCompare(node);
  switch (node.op) {
    case NodeOp::kIn:
      return TypeOfIn(node);
    case NodeOp::kNot:
    case NodeOp::kAnd:
    case NodeOp::kOr:
      for (std::size_t i = 0; i < node.child_count; ++i) Want(node, i, kBool);
      return kBool;
    case NodeOp::kDiv:
      (void)Numbers(node);
      return kFloat;
    default:
      return Numbers(node);
  }
}

StaticType Typechecker::Numbers(const AstNode& node) {
  StaticType type = kNull;
  for (const NodeIndex child : ast_.children(node)) {
    const StaticType other = ast_.at(child).type;
    if (!IsNumber(other)) {
      std::string message =
          Name(node) + " needs numbers, not " + std::string(StaticTypeName(other));
      if (node.op == NodeOp::kAdd && other == kString) message += "; concat() joins strings";
      Report(node, std::move(message));
      return kUnknown;
    }
    type = Unify(type, other);
  }
  return type;
}

StaticType Typechecker::Same(const AstNode& node, std::size_t first) {
  StaticType type = kNull;
  for (std::size_t i = first; i < node.child_count; ++i) {
    const StaticType other = ChildType(node, i);
    const bool fits = Fits(type, other) || Fits(other, type) || (IsNumber(type) && IsNumber(other));
    if (!fits) {
      Report(node, Name(node) + " needs values of one type, not " +
                       std::string(StaticTypeName(type)) + " and " +
                       std::string(StaticTypeName(other)));
      return kUnknown;
    }
    type = Unify(type, other);
  }
  return type;
}

void Typechecker::Want(const AstNode& node, std::size_t argument, StaticType wanted) {
  const StaticType type = ChildType(node, argument);
  if (Fits(type, wanted)) return;
  std::string message = Name(node) + " needs a " + std::string(StaticTypeName(wanted));
  if (node.op == NodeOp::kCall && node.child_count > 1) {
    message += " as argument " + std::to_string(argument + 1);
  }
  message += ", not " + std::string(StaticTypeName(type));
  if (node.op == NodeOp::kCall && node.function == Function::kConcat) {
    message += "; text() makes one";
  }
  Report(node, std::move(message));
}

StaticType Typechecker::TypeOfCompare(const AstNode& node) {
  const StaticType a = ChildType(node, 0);
  const StaticType b = ChildType(node, 1);
  if (!Fits(a, b) && !Fits(b, a) && !(IsNumber(a) && IsNumber(b))) {
    Report(node, Name(node) + " cannot compare " + std::string(StaticTypeName(a)) + " with " +
                     std::string(StaticTypeName(b)));
  } else if ((a == kBool || b == kBool) && node.op != NodeOp::kEq && node.op != NodeOp::kNe) {
    Report(node, "bools have no order; they compare by \"==\" and \"!=\" only");
  }
  return kBool;
}

StaticType Typechecker::TypeOfIn(const AstNode& node) {
  const StaticType type = ChildType(node, 0);
  for (const ListItem& item : ast_.list(node)) {
    if (IsNull(item.value)) continue;
    const auto other = static_cast<StaticType>(item.value.index() + 1);
    if (Fits(type, other) || (IsNumber(type) && IsNumber(other))) continue;
    diagnostics_.Report(item.place, "\"in\" cannot compare " + std::string(StaticTypeName(type)) +
                                        " with " + std::string(StaticTypeName(other)));
    break;  // A long list of the wrong type is one mistake.
  }
  return kBool;
}
static_assert(static_cast<int>(kInt) == 2 && static_cast<int>(kString) == 5);

StaticType Typechecker::TypeOfCall(const AstNode& node) {
  using enum Function;
  const FunctionSpec& spec = Functions()[static_cast<std::size_t>(node.function)];
  if (std::string wrong = WrongArgumentCount(spec, node.child_count); !wrong.empty()) {
    Report(node, std::move(wrong));
    return kUnknown;
  }
  const auto strings = [&](StaticType result) {
    for (std::size_t i = 0; i < node.child_count; ++i) Want(node, i, StaticType::kString);
    return result;
  };
  switch (node.function) {
    case kCoalesce:
      return Same(node, 0);
    case kIf:
      Want(node, 0, kBool);
      return Same(node, 1);
    case kIsNull:
    case kNotNull:
      return kBool;
    case kMin:
    case kMax:
    case kAbs:
    case kClamp:
      return Numbers(node);
    case kFloor:
    case kCeil:
    case kRound:
      (void)Numbers(node);
      return kInt;
    case kSqrt:
    case kExp:
    case kLog:
    case kLog1p:
    case kPow:
    case kSigmoid:
      (void)Numbers(node);
      return kFloat;
    case kRegex:
      return TypeOfRegex(node);
    case kStartsWith:
    case kEndsWith:
    case kContains:
      return strings(kBool);
    case kLower:
    case kConcat:
      return strings(kString);
    case kLen:
      return strings(kInt);
    case kText:
      return kString;
    default:
      return TypeOfAggregate(node, node.function);
  }
}

StaticType Typechecker::TypeOfAggregate(const AstNode& node, Function function) {
  using enum Function;
  const StaticType type = node.child_count == 0 ? kNull : ChildType(node, 0);
  switch (function) {
    case kSum: {
      const StaticType sum = Numbers(node);
      return sum == kNull ? kInt : sum;
    }
    case kMean:
      (void)Numbers(node);
      return kFloat;
    case kLowest:
    case kHighest:
      if (type == kBool) {
        Report(node, Name(node) + " needs numbers or strings, not bool");
        return kUnknown;
      }
      return type;
    case kFirst:
    case kLast:
      return type;
    case kAll:
    case kAny:
      Want(node, 0, kBool);
      return kBool;
    default:
      return kInt;  // count
  }
}

StaticType Typechecker::TypeOfRegex(const AstNode& node) {
  Want(node, 0, kString);
  const AstNode& pattern = ast_.child(node, 1);
  bool ignore_case = false;
  if (node.child_count == 3) {
    const AstNode& flags = ast_.child(node, 2);
    const bool literal = flags.op == NodeOp::kString;
    ignore_case = literal && ast_.string(flags) == "i";
    if (flags.op != NodeOp::kBroken && !ignore_case && !(literal && ast_.string(flags).empty())) {
      Report(flags, "the flags of a regex are \"\" or \"i\"");
    }
  }
  if (pattern.op == NodeOp::kString) {
    const Result<Regex> compiled = Regex::Compile(ast_.string(pattern), ignore_case);
    if (!compiled) Report(pattern, compiled.error().message);
  } else if (pattern.op != NodeOp::kParam && pattern.op != NodeOp::kBroken) {
    Report(pattern, "the pattern of a regex is a string literal or a string param");
  } else if (!Fits(pattern.type, kString)) {
    Report(pattern,
           "the pattern of a regex is a string, not " + std::string(StaticTypeName(pattern.type)));
  }
  return kBool;
}

}  // namespace

StaticType Unify(StaticType a, StaticType b) {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (a == kNull) return b;
  if (b == kNull || a == b) return a;
  return kFloat;
}

bool AsksForNull(const AstNode& node) {
  return node.op == NodeOp::kCall &&
         (node.function == Function::kCoalesce || node.function == Function::kIsNull ||
          node.function == Function::kNotNull);
}

bool IsNullTest(const Ast& ast, const AstNode& node) {
  return (node.op == NodeOp::kEq || node.op == NodeOp::kNe) &&
         (ast.child(node, 0).op == NodeOp::kNull || ast.child(node, 1).op == NodeOp::kNull);
}

void Typecheck(Ast& ast, const ExpressionScope& scope, Diagnostics& diagnostics) {
  Typechecker(ast, scope, diagnostics).Check();
}

}  // namespace rankd
