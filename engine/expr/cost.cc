#include "engine/expr/cost.h"

namespace rankd {
namespace {

/// Entries of a dictionary for each row, where nothing is known of it.
constexpr double kEntriesPerRow = 0.25;

double CostOf(OpCode op) {
  switch (op) {
    case OpCode::kModInt:
    case OpCode::kDivFloat:
    case OpCode::kSqrt:
    case OpCode::kFloor:
    case OpCode::kCeil:
    case OpCode::kRound:
      return 3;
    case OpCode::kExp:
    case OpCode::kLog:
    case OpCode::kLog1p:
    case OpCode::kSigmoid:
    case OpCode::kModFloat:
      return 15;
    case OpCode::kPow:
      return 40;
    case OpCode::kInInt:
    case OpCode::kInFloat:
    case OpCode::kInString:
    case OpCode::kCompareString:
      return 10;
    case OpCode::kRegex:
      return 150;
    case OpCode::kTextFloat:
    case OpCode::kConcat:
      return 80;
    default:
      return op >= OpCode::kStartsWith ? 25 : 1;
  }
}

double CostOf(const Program& program, const Expression& expression) {
  double cost = 1;
  for (const Instruction& instruction : program.code) cost += CostOf(instruction.op);
  for (const ProgramInput& input : program.inputs) {
    cost += input.type == ValueType::kString && input.in_blocks ? 3 : 1;
    if (input.kind == InputKind::kLookup) {
      cost += kEntriesPerRow * CostOf(expression.lookups[input.index].program, expression);
    }
  }
  // A string result is interned row by row.
  for (const Operand& root : program.roots) {
    if (root.kind == OperandKind::kRegister && root.type == ValueType::kString) cost += 30;
  }
  return cost;
}

}  // namespace

double EstimateCostPerRow(const Expression& expression) {
  if (expression.kind == ExpressionKind::kRow) return CostOf(expression.main, expression);
  double cost = expression.aggregates.empty() ? 0 : CostOf(expression.inner, expression);
  for (const Aggregate& aggregate : expression.aggregates) {
    cost += aggregate.root ? 4 : 1;
  }
  return cost;
}

}  // namespace rankd
