#include "engine/expr/program_builder.h"

#include <algorithm>
#include <utility>

#include "engine/expr/vec.h"

namespace rankd {

Operand ProgramBuilder::Input(InputKind kind, ValueType type, std::uint32_t index) {
  const std::uint64_t name = static_cast<std::uint64_t>(kind) << 32 | index;
  const auto next = static_cast<std::uint32_t>(program_.inputs.size());
  const auto [found, is_new] = input_numbers_.try_emplace(name, next);
  if (is_new) program_.inputs.push_back(ProgramInput{kind, type, index, false});
  return Operand{OperandKind::kInput, type, found->second};
}

std::vector<std::uint32_t>& ProgramBuilder::FreeOf(ValueType type) {
  return free_[type == ValueType::kBool ? 0 : type == ValueType::kString ? 2 : 1];
}

std::uint32_t ProgramBuilder::TakeRegister(ValueType type) {
  std::vector<std::uint32_t>& free = FreeOf(type);
  if (free.empty()) {
    program_.registers.push_back(type);
    return static_cast<std::uint32_t>(program_.registers.size() - 1);
  }
  const std::uint32_t taken = free.back();
  free.pop_back();
  return taken;
}

void ProgramBuilder::Reads(Operand operand, bool values) {
  if (operand.kind == OperandKind::kRegister) FreeOf(operand.type).push_back(operand.index);
  if (operand.kind == OperandKind::kInput && values) {
    program_.inputs[operand.index].in_blocks = true;
  }
}

void ProgramBuilder::Append(OpCode op, Operand out, std::span<const Operand> operands,
                            std::uint32_t detail) {
  Instruction instruction;
  instruction.op = op;
  instruction.out = out;
  instruction.detail = detail;
  instruction.first_operand = static_cast<std::uint32_t>(program_.operands.size());
  instruction.operand_count = static_cast<std::uint32_t>(operands.size());
  program_.operands.insert(program_.operands.end(), operands.begin(), operands.end());
  program_.code.push_back(instruction);
}

Operand ProgramBuilder::Emit(OpCode op, ValueType type, std::span<const Operand> operands,
                             std::uint32_t detail) {
  // The result's register is taken before the operands' are given back: kernels rely on that.
  const Operand out{OperandKind::kRegister, type, TakeRegister(type)};
  Append(op, out, operands, detail);
  const bool values = op != OpCode::kIsNull && op != OpCode::kNotNull;
  for (const Operand& operand : operands) Reads(operand, values);
  return out;
}

void ProgramBuilder::EmitOnce(OpCode op, Operand out, std::span<const Operand> operands,
                              std::uint32_t detail) {
  Append(op, out, operands, detail);
}

std::uint32_t ProgramBuilder::AddRoot(Operand operand, bool in_blocks) {
  if (operand.kind == OperandKind::kInput && in_blocks) {
    program_.inputs[operand.index].in_blocks = true;
  }
  program_.roots.push_back(operand);
  return static_cast<std::uint32_t>(program_.roots.size() - 1);
}

Program ProgramBuilder::Finish() && {
  const auto add_room = [this](ValueType type) {
    program_.bytes_per_row += static_cast<std::uint32_t>(WidthOf(type)) + 1;
  };
  for (const ValueType type : program_.registers) add_room(type);
  for (const ProgramInput& input : program_.inputs) add_room(input.type);
  for (const Instruction& instruction : program_.code) {
    program_.most_operands = std::max(program_.most_operands, instruction.operand_count);
  }
  return std::move(program_);
}

}  // namespace rankd
