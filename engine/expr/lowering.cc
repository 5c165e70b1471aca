#include "engine/expr/lowering.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/expr/compiled.h"
#include "engine/expr/cost.h"
#include "engine/expr/kernels.h"
#include "engine/expr/partition.h"
#include "engine/expr/program_builder.h"
#include "engine/expr/typecheck.h"
#include "engine/expr/uniform.h"

namespace rankd {
namespace {

/// One pass over the nodes, children first. Each node becomes an operand: of the program its part
/// belongs to, or a uniform where it does not depend on the row. What depends on literals only is
/// computed on the spot.
class Lowering {
 public:
  Lowering(const Ast& ast, const ExpressionScope& scope)
      : ast_(ast),
        scope_(scope),
        partition_(PartitionOf(ast)),
        builders_(partition_.parts.size()),
        operands_(ast.size()) {}

  ExpressionRef Run();

 private:
  void Node(NodeIndex i);
  Operand Leaf(const AstNode& node);
  Operand Operator(const AstNode& node);
  Operand Compare(const AstNode& node);
  Operand In(const AstNode& node);
  Operand Call(const AstNode& node);
  Operand Chain(const AstNode& node, OpCode op);
  Operand Regex(const AstNode& node);
  Operand Text(const AstNode& node);
  Operand AggregateOf(const AstNode& node);
  bool IsConstant(const Program& program) const;
  Operand FinishLookup(NodeIndex i, Operand root);
  void FinishRoot();
  void CollectReads();

  /// The child's value as `type`: int made float, and a null of that type for what is only null.
  Operand As(NodeIndex child, ValueType type);
  std::vector<Operand> ChildrenAs(const AstNode& node, ValueType type);
  Operand Emit(OpCode op, ValueType type, std::span<const Operand> operands,
               std::uint32_t detail = 0);
  Operand Emit(OpCode op, ValueType type, std::initializer_list<Operand> operands,
               std::uint32_t detail = 0) {
    return Emit(op, type, std::span(operands.begin(), operands.size()), detail);
  }
  Operand NewSlot(ValueType type, bool constant);
  Operand Constant(ValueType type, const Value& value);
  Operand Source(UniformSource::Kind kind, ValueType type, std::uint32_t index);

  const Ast& ast_;
  const ExpressionScope& scope_;
  const Partition partition_;
  std::vector<ProgramBuilder> builders_;  // by part
  ProgramBuilder once_;
  ProgramBuilder* builder_ = nullptr;  // of the node at work
  std::vector<Operand> operands_;      // by node
  std::vector<bool> constant_;         // by slot
  std::unordered_map<std::uint64_t, std::uint32_t> source_slots_;
  std::shared_ptr<Expression> out_ = std::make_shared<Expression>();
};

Operand Lowering::NewSlot(ValueType type, bool constant) {
  out_->slots.emplace_back();
  constant_.push_back(constant);
  return Operand{OperandKind::kUniform, type, static_cast<std::uint32_t>(out_->slots.size() - 1)};
}

Operand Lowering::Constant(ValueType type, const Value& value) {
  const Operand operand = NewSlot(type, true);
  UniformSlot& slot = out_->slots.back();
  SetSlot(slot, type, value);
  if (const std::string* text = std::get_if<std::string>(&value)) {
    new (slot.value.bytes) std::string_view(out_->strings.Copy(*text));
  }
  return operand;
}

Operand Lowering::Source(UniformSource::Kind kind, ValueType type, std::uint32_t index) {
  const std::uint64_t name = static_cast<std::uint64_t>(kind) << 32 | index;
  const auto found = source_slots_.find(name);
  if (found != source_slots_.end()) return Operand{OperandKind::kUniform, type, found->second};
  const Operand operand = NewSlot(type, false);
  source_slots_.emplace(name, operand.index);
  out_->sources.push_back(UniformSource{kind, type, index, operand.index});
  return operand;
}

Operand Lowering::Emit(OpCode op, ValueType type, std::span<const Operand> operands,
                       std::uint32_t detail) {
  const auto uniform = [](const Operand& operand) { return operand.kind == OperandKind::kUniform; };
  if (!std::all_of(operands.begin(), operands.end(), uniform)) {
    return builder_->Emit(op, type, operands, detail);
  }
  // A regex from a param is known only when bound.
  bool constant = op != OpCode::kRegex || !out_->regex_sources[detail].param;
  for (const Operand& operand : operands) constant = constant && constant_[operand.index];
  const Operand out = NewSlot(type, constant);
  if (!constant) {
    once_.EmitOnce(op, out, operands, detail);
    return out;
  }
  ProgramBuilder folded;
  folded.EmitOnce(op, out, operands, detail);
  std::vector<rankd::Regex> regexes;
  if (op == OpCode::kRegex) {
    regexes.resize(detail + 1);
    regexes[detail] = out_->regex_sources[detail].literal;
  }
  RunOnce(std::move(folded).Finish(), out_->slots, KernelTables{out_->lists, regexes},
          out_->strings);
  return out;
}

Operand Lowering::As(NodeIndex child, ValueType type) {
  const StaticType from = ast_.at(child).type;
  if (from == StaticType::kNull) return Constant(type, {});
  if (from == StaticType::kInt && type == ValueType::kFloat) {
    return Emit(OpCode::kIntToFloat, type, {operands_[child]});
  }
  return operands_[child];
}

std::vector<Operand> Lowering::ChildrenAs(const AstNode& node, ValueType type) {
  std::vector<Operand> operands;
  operands.reserve(node.child_count);
  for (const NodeIndex child : ast_.children(node)) operands.push_back(As(child, type));
  return operands;
}

void Lowering::Node(NodeIndex i) {
  const AstNode& node = ast_.at(i);
  builder_ = &builders_[partition_.part_of_node[i]];
  // Nothing is computed for what is only null: whoever reads it makes a null of the type it needs.
  if (node.type == StaticType::kNull) return;
  Operand operand;
  if (node.child_count == 0 && node.op != NodeOp::kCall) {
    operand = Leaf(node);
  } else if (node.op == NodeOp::kCall && IsAggregate(node.function)) {
    operand = AggregateOf(node);
  } else if (node.op == NodeOp::kCall) {
    operand = Call(node);
  } else {
    operand = Operator(node);
  }
  if (partition_.lookup_root[i]) operand = FinishLookup(i, operand);
  operands_[i] = operand;
}

Operand Lowering::Leaf(const AstNode& node) {
  const ValueType type = ValueTypeOf(node.type);
  switch (node.op) {
    case NodeOp::kInt:
      return Constant(type, node.integer);
    case NodeOp::kFloat:
      return Constant(type, node.number);
    case NodeOp::kBool:
      return Constant(type, node.boolean);
    case NodeOp::kString:
      return Constant(type, ast_.string(node));
    case NodeOp::kKey:
      return builder_->Input(InputKind::kKey, type, node.slot);
    case NodeOp::kParam:
      return Source(UniformSource::Kind::kParam, type, node.slot);
    case NodeOp::kLoopVariable:
      return Source(UniformSource::Kind::kLoopVariable, type, node.slot);
    default:
      return Source(UniformSource::Kind::kErrorField, type, node.slot);
  }
}

Operand Lowering::Operator(const AstNode& node) {
  const NodeIndex first = ast_.children(node)[0];
  if (IsComparison(node.op)) return Compare(node);
  if (node.op == NodeOp::kIn) return In(node);
  if (node.op == NodeOp::kNot)
    return Emit(OpCode::kNot, ValueType::kBool, {As(first, ValueType::kBool)});
  if (node.op == NodeOp::kAnd || node.op == NodeOp::kOr) {
    const OpCode op = node.op == NodeOp::kAnd ? OpCode::kAnd : OpCode::kOr;
    return Emit(op, ValueType::kBool, ChildrenAs(node, ValueType::kBool));
  }
  const ValueType type = ValueTypeOf(node.type);
  const bool ints = type == ValueType::kInt;
  OpCode op{};
  switch (node.op) {
    case NodeOp::kNeg:
      op = ints ? OpCode::kNegInt : OpCode::kNegFloat;
      break;
    case NodeOp::kAdd:
      op = ints ? OpCode::kAddInt : OpCode::kAddFloat;
      break;
    case NodeOp::kSub:
      op = ints ? OpCode::kSubInt : OpCode::kSubFloat;
      break;
    case NodeOp::kMul:
      op = ints ? OpCode::kMulInt : OpCode::kMulFloat;
      break;
    case NodeOp::kMod:
      op = ints ? OpCode::kModInt : OpCode::kModFloat;
      break;
    default:
      op = OpCode::kDivFloat;
  }
  return Emit(op, type, ChildrenAs(node, type));
}

Operand Lowering::Compare(const AstNode& node) {
  const auto children = ast_.children(node);
  if (IsNullTest(ast_, node)) {
    const NodeIndex asked = ast_.at(children[0]).op == NodeOp::kNull ? children[1] : children[0];
    const StaticType type = ast_.at(asked).type;
    const Operand operand =
        As(asked, type == StaticType::kNull ? ValueType::kInt : ValueTypeOf(type));
    return Emit(node.op == NodeOp::kEq ? OpCode::kIsNull : OpCode::kNotNull, ValueType::kBool,
                {operand});
  }
  const StaticType unified = Unify(ast_.at(children[0]).type, ast_.at(children[1]).type);
  const ValueType type = unified == StaticType::kNull ? ValueType::kInt : ValueTypeOf(unified);
  static constexpr std::array kByType = {OpCode::kCompareInt, OpCode::kCompareFloat,
                                         OpCode::kCompareBool, OpCode::kCompareString};
  const auto comparison =
      static_cast<std::uint32_t>(node.op) - static_cast<std::uint32_t>(NodeOp::kEq);
  return Emit(kByType[static_cast<std::size_t>(type)], ValueType::kBool, ChildrenAs(node, type),
              comparison);
}

Operand Lowering::In(const AstNode& node) {
  const NodeIndex child = ast_.children(node)[0];
  const StaticType from = ast_.at(child).type;
  const ValueType type = from == StaticType::kNull ? ValueType::kInt : ValueTypeOf(from);
  InList list;
  for (const ListItem& item : ast_.list(node)) {
    if (const auto* integer = std::get_if<std::int64_t>(&item.value)) {
      if (type == ValueType::kFloat) {
        list.floats.push_back(static_cast<double>(*integer));
      } else {
        list.ints.push_back(*integer);
      }
    } else if (const auto* number = std::get_if<double>(&item.value)) {
      list.floats.push_back(*number);
    } else if (const auto* boolean = std::get_if<bool>(&item.value)) {
      (*boolean ? list.has_true : list.has_false) = true;
    } else if (const auto* text = std::get_if<std::string>(&item.value)) {
      list.strings.push_back(*text);
    }
  }
  std::sort(list.ints.begin(), list.ints.end());
  std::sort(list.floats.begin(), list.floats.end());
  std::sort(list.strings.begin(), list.strings.end());
  out_->lists.push_back(std::move(list));
  static constexpr std::array kByType = {OpCode::kInInt, OpCode::kInFloat, OpCode::kInBool,
                                         OpCode::kInString};
  return Emit(kByType[static_cast<std::size_t>(type)], ValueType::kBool, {As(child, type)},
              static_cast<std::uint32_t>(out_->lists.size() - 1));
}

Operand Lowering::Chain(const AstNode& node, OpCode op) {
  const ValueType type = ValueTypeOf(node.type);
  const std::vector<Operand> operands = ChildrenAs(node, type);
  Operand result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) result = Emit(op, type, {result, operands[i]});
  return result;
}

Operand Lowering::Text(const AstNode& node) {
  const NodeIndex child = ast_.children(node)[0];
  const StaticType from = ast_.at(child).type;
  if (from == StaticType::kNull) return Constant(ValueType::kString, {});
  if (from == StaticType::kString) return operands_[child];
  static constexpr std::array kByType = {OpCode::kTextInt, OpCode::kTextFloat, OpCode::kTextBool};
  return Emit(kByType[static_cast<std::size_t>(ValueTypeOf(from))], ValueType::kString,
              {operands_[child]});
}

Operand Lowering::Regex(const AstNode& node) {
  const AstNode& pattern = ast_.child(node, 1);
  RegexSource source;
  source.ignore_case = node.child_count == 3 && ast_.string(ast_.child(node, 2)) == "i";
  if (pattern.op == NodeOp::kParam) {
    const ParamId param{pattern.slot};
    source.param = NamedParam{param, scope_.schema->param(param).name};
  } else {
    Result<rankd::Regex> compiled = rankd::Regex::Compile(ast_.string(pattern), source.ignore_case);
    RANKD_CHECK(compiled.has_value());  // Typecheck has tried it.
    source.literal = *std::move(compiled);
  }
  out_->regex_sources.push_back(std::move(source));
  return Emit(OpCode::kRegex, ValueType::kBool, {As(ast_.children(node)[0], ValueType::kString)},
              static_cast<std::uint32_t>(out_->regex_sources.size() - 1));
}

Operand Lowering::Call(const AstNode& node) {
  using enum Function;
  const ValueType type = ValueTypeOf(node.type);
  const bool ints = type == ValueType::kInt;
  const auto children = ast_.children(node);
  const auto as_is = [&](NodeIndex child) {
    const StaticType from = ast_.at(child).type;
    return As(child, from == StaticType::kNull ? ValueType::kInt : ValueTypeOf(from));
  };
  const auto to_int = [&](OpCode op) {
    if (ast_.at(children[0]).type == StaticType::kInt) return operands_[children[0]];
    return Emit(op, type, ChildrenAs(node, ValueType::kFloat));
  };
  const auto of_floats = [&](OpCode op) {
    return Emit(op, type, ChildrenAs(node, ValueType::kFloat));
  };
  const auto of_strings = [&](OpCode op) {
    return Emit(op, type, ChildrenAs(node, ValueType::kString));
  };
  switch (node.function) {
    case kCoalesce:
      return Chain(node, OpCode::kCoalesce);
    case kIf:
      return Emit(
          OpCode::kIf, type,
          {As(children[0], ValueType::kBool), As(children[1], type), As(children[2], type)});
    case kIsNull:
      return Emit(OpCode::kIsNull, type, {as_is(children[0])});
    case kNotNull:
      return Emit(OpCode::kNotNull, type, {as_is(children[0])});
    case kMin:
      return Chain(node, ints ? OpCode::kMinInt : OpCode::kMinFloat);
    case kMax:
      return Chain(node, ints ? OpCode::kMaxInt : OpCode::kMaxFloat);
    case kAbs:
      return Emit(ints ? OpCode::kAbsInt : OpCode::kAbsFloat, type, ChildrenAs(node, type));
    case kClamp:
      return Emit(ints ? OpCode::kClampInt : OpCode::kClampFloat, type, ChildrenAs(node, type));
    case kFloor:
      return to_int(OpCode::kFloor);
    case kCeil:
      return to_int(OpCode::kCeil);
    case kRound:
      return to_int(OpCode::kRound);
    case kSqrt:
      return of_floats(OpCode::kSqrt);
    case kExp:
      return of_floats(OpCode::kExp);
    case kLog:
      return of_floats(OpCode::kLog);
    case kLog1p:
      return of_floats(OpCode::kLog1p);
    case kPow:
      return of_floats(OpCode::kPow);
    case kSigmoid:
      return of_floats(OpCode::kSigmoid);
    case kRegex:
      return Regex(node);
    case kStartsWith:
      return of_strings(OpCode::kStartsWith);
    case kEndsWith:
      return of_strings(OpCode::kEndsWith);
    case kContains:
      return of_strings(OpCode::kContains);
    case kLower:
      return of_strings(OpCode::kLower);
    case kLen:
      return of_strings(OpCode::kLen);
    case kText:
      return Text(node);
    default:
      return of_strings(OpCode::kConcat);
  }
}

Operand Lowering::AggregateOf(const AstNode& node) {
  Aggregate aggregate;
  aggregate.function = node.function;
  aggregate.result = ValueTypeOf(node.type);
  aggregate.argument = node.function == Function::kMean ? ValueType::kFloat : aggregate.result;
  if (node.child_count == 1) {
    ProgramBuilder* const outer = builder_;
    builder_ = &builders_[Partition::kInner];
    const Operand argument = As(ast_.children(node)[0], aggregate.argument);
    aggregate.root = builder_->AddRoot(argument, true);
    builder_ = outer;
  }
  out_->aggregates.push_back(aggregate);
  return builder_->Input(InputKind::kAggregate, aggregate.result,
                         static_cast<std::uint32_t>(out_->aggregates.size() - 1));
}

/// Whether it gives the same for the same rows in every run.
bool Lowering::IsConstant(const Program& program) const {
  const auto constant = [this](const Operand& operand) {
    return operand.kind != OperandKind::kUniform || constant_[operand.index];
  };
  return std::ranges::all_of(program.operands, constant) &&
         std::ranges::all_of(program.code, [this](const Instruction& instruction) {
           return instruction.op != OpCode::kRegex ||
                  !out_->regex_sources[instruction.detail].param;
         });
}

Operand Lowering::FinishLookup(NodeIndex i, Operand root) {
  // What turned out not to depend on the string after all stays as it is.
  if (root.kind == OperandKind::kUniform) return root;
  const std::uint32_t part = partition_.part_of_node[i];
  (void)builders_[part].AddRoot(root, false);
  Lookup lookup;
  lookup.key = partition_.parts[part].key;
  lookup.program = std::move(builders_[part]).Finish();
  if (IsConstant(lookup.program)) lookup.memory = std::make_unique<LookupMemory>();
  out_->lookups.push_back(std::move(lookup));
  builder_ = &builders_[partition_.parts[part].outer];
  return builder_->Input(InputKind::kLookup, root.type,
                         static_cast<std::uint32_t>(out_->lookups.size() - 1));
}

void Lowering::FinishRoot() {
  const StaticType from = ast_.at(ast_.root()).type;
  out_->only_null = from == StaticType::kNull && !scope_.target;
  out_->type = scope_.target               ? *scope_.target
               : from == StaticType::kNull ? ValueType::kInt
                                           : ValueTypeOf(from);
  builder_ = &builders_[Partition::kMain];
  (void)builder_->AddRoot(As(ast_.root(), out_->type), out_->type == ValueType::kBool);
}

void Lowering::CollectReads() {
  std::vector<bool> forgiven(ast_.size(), false);  // params that may lack a value here
  for (NodeIndex i = 0; i < ast_.size(); ++i) {
    const AstNode& node = ast_.at(i);
    if (AsksForNull(node)) {
      for (const NodeIndex child : ast_.children(i)) forgiven[child] = true;
    } else if (node.op == NodeOp::kCall && node.function == Function::kRegex) {
      forgiven[ast_.children(i)[1]] = true;  // Bind looks after patterns by itself.
    }
  }
  for (NodeIndex i = 0; i < ast_.size(); ++i) {
    const AstNode& node = ast_.at(i);
    if (node.op == NodeOp::kKey) out_->keys.push_back(KeyId{node.slot});
    if (node.op != NodeOp::kParam) continue;
    const ParamId param{node.slot};
    out_->params.push_back(param);
    const ParamSpec& spec = scope_.schema->param(param);
    if (!spec.nullable && !forgiven[i]) out_->required.push_back(NamedParam{param, spec.name});
  }
  const auto sort_unique = [](auto& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  };
  sort_unique(out_->keys);
  sort_unique(out_->params);
}

ExpressionRef Lowering::Run() {
  out_->kind = scope_.kind;
  for (NodeIndex i = 0; i < ast_.size(); ++i) Node(i);
  FinishRoot();
  CollectReads();
  out_->main = std::move(builders_[Partition::kMain]).Finish();
  out_->inner = std::move(builders_[Partition::kInner]).Finish();
  out_->once = std::move(once_).Finish();
  out_->cost_per_row = EstimateCostPerRow(*out_);
  return std::move(out_);
}

}  // namespace

ExpressionRef Lower(const Ast& ast, const ExpressionScope& scope) {
  return Lowering(ast, scope).Run();
}

}  // namespace rankd
