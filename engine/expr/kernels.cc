#include "engine/expr/kernels.h"

#include <cstring>

namespace rankd {

void Execute(KernelCall& call) {
  const OpCode op = call.instruction.op;
  if (op <= OpCode::kClampInt) return ExecuteInt(call);
  if (op <= OpCode::kPow) return ExecuteFloat(call);
  if (op <= OpCode::kInString) return ExecuteComparison(call);
  if (op <= OpCode::kCoalesce) return ExecuteLogic(call);
  return ExecuteString(call);
}

bool NullFromNull(KernelCall& call) {
  bool null = false;
  for (const Vec& operand : call.operands) null |= operand.AlwaysNull();
  if (!null) return false;
  const std::size_t width = WidthOf(call.instruction.out.type);
  std::memset(call.out, 0, width * call.rows);
  std::memset(call.valid, 0, call.rows);
  call.has_nulls = true;
  return true;
}

void NullWhereOperandsAre(KernelCall& call) {
  const std::size_t rows = call.rows;
  std::uint8_t* __restrict const valid = call.valid;
  for (const Vec& operand : call.operands) {
    if (operand.valid == nullptr) continue;
    if (!call.has_nulls) {
      std::memcpy(valid, operand.valid, rows);
      call.has_nulls = true;
      continue;
    }
    const std::uint8_t* __restrict const other = operand.valid;
    for (std::size_t i = 0; i < rows; ++i) {
      valid[i] = static_cast<std::uint8_t>(valid[i] & other[i]);
    }
  }
}

std::uint8_t* WritableValidity(KernelCall& call) {
  if (!call.has_nulls) std::memset(call.valid, 1, call.rows);
  call.has_nulls = true;
  return call.valid;
}

}  // namespace rankd
