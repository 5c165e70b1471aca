#include "engine/expr/uniform.h"

#include <new>
#include <string_view>
#include <vector>

namespace rankd {

void SetSlot(UniformSlot& slot, ValueType type, const Value& value) {
  slot.valid = !IsNull(value);
  slot.value = ValueBytes{};
  std::byte* const bytes = slot.value.bytes;
  switch (type) {
    case ValueType::kInt:
      new (bytes) std::int64_t(slot.valid ? std::get<std::int64_t>(value) : 0);
      break;
    case ValueType::kFloat:
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        new (bytes) double(static_cast<double>(*integer));
      } else {
        new (bytes) double(slot.valid ? std::get<double>(value) : 0);
      }
      break;
    case ValueType::kBool:
      new (bytes) std::uint8_t(slot.valid && std::get<bool>(value) ? 1 : 0);
      break;
    case ValueType::kString:
      new (bytes) std::string_view(slot.valid ? std::string_view(std::get<std::string>(value))
                                              : std::string_view());
      break;
  }
}

Value SlotValue(const UniformSlot& slot, ValueType type) {
  if (!slot.valid) return {};
  const Vec vec = slot.AsVec();
  switch (type) {
    case ValueType::kInt:
      return *vec.As<std::int64_t>();
    case ValueType::kFloat:
      return *vec.As<double>();
    case ValueType::kBool:
      return *vec.As<std::uint8_t>() != 0;
    case ValueType::kString:
      break;
  }
  return std::string(*vec.As<std::string_view>());
}

void RunOnce(const Program& program, std::span<UniformSlot> slots, const KernelTables& tables,
             StringArena& arena) {
  std::vector<Vec> operands;
  operands.reserve(program.most_operands);
  for (const Instruction& instruction : program.code) {
    operands.clear();
    for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
      operands.push_back(slots[program.operands[instruction.first_operand + i].index].AsVec());
    }
    UniformSlot& out = slots[instruction.out.index];
    std::uint8_t valid = 1;
    KernelCall call{instruction, operands, 1, &out.value, &valid, tables, arena};
    Execute(call);
    out.valid = !call.has_nulls || valid != 0;
  }
}

}  // namespace rankd
