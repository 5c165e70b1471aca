// Emits a Program: finds registers for results and gives them back when they have been read.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/expr/program.h"

namespace rankd {

class ProgramBuilder {
 public:
  /// The input, new or known.
  Operand Input(InputKind kind, ValueType type, std::uint32_t index);

  /// Every register is read by one instruction only, or is a root.
  Operand Emit(OpCode op, ValueType type, std::span<const Operand> operands,
               std::uint32_t detail = 0);

  /// As Emit, with a uniform for result.
  void EmitOnce(OpCode op, Operand out, std::span<const Operand> operands, std::uint32_t detail);

  /// Returns the number of the root. `in_blocks`: somebody wants its values block by block.
  std::uint32_t AddRoot(Operand operand, bool in_blocks);

  Program Finish() &&;

 private:
  void Append(OpCode op, Operand out, std::span<const Operand> operands, std::uint32_t detail);
  std::uint32_t TakeRegister(ValueType type);
  void Reads(Operand operand, bool values);
  std::vector<std::uint32_t>& FreeOf(ValueType type);

  Program program_;
  std::unordered_map<std::uint64_t, std::uint32_t> input_numbers_;
  std::array<std::vector<std::uint32_t>, 3> free_;  // by width
};

}  // namespace rankd
