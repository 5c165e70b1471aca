#include "engine/expr/frame.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "engine/base/check.h"

namespace rankd {
namespace {

constexpr std::size_t kAlignment = 64;
/// Registers of a block should stay in the cache.
constexpr std::size_t kMemoryWanted = 256 * 1024;

/// `bits` of a bitmap, from a whole word on, as bytes.
void Spread(std::span<const std::uint64_t> words, std::size_t n, std::uint8_t* out) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kDiagonal = 0x8040'2010'0804'0201;  // byte i keeps bit i
  constexpr std::uint64_t kCarry = 0x7F7F'7F7F'7F7F'7F7F;
  for (std::size_t i = 0; i < n; i += 8) {
    const std::uint64_t bits = words[i >> 6] >> (i & 63) & 0xFF;
    const std::uint64_t bytes = ((bits * kOnes & kDiagonal) + kCarry) >> 7 & kOnes;
    std::memcpy(out + i, &bytes, std::min<std::size_t>(8, n - i));
  }
}

template <typename T>
const T* Slots(const Column& column) {
  if constexpr (std::is_same_v<T, std::int64_t>) return column.ints().data();
  if constexpr (std::is_same_v<T, double>) return column.floats().data();
  if constexpr (std::is_same_v<T, std::uint8_t>) return column.bools().data();
}

std::size_t RowsOfBlock(const Program& program, std::size_t rows) {
  const std::size_t bytes = sizeof(std::uint32_t) + program.bytes_per_row;
  const std::size_t fitting = std::clamp<std::size_t>(kMemoryWanted / bytes, 64, kBlockRows);
  const std::size_t wanted = std::min((rows + 63) / 64 * 64, fitting / 64 * 64);
  return std::max<std::size_t>(wanted, 64);
}

}  // namespace

Frame::Frame(const Program& program, std::span<const InputColumn> inputs, const Bindings& bindings,
             std::size_t rows)
    : program_(program),
      inputs_(inputs),
      bindings_(bindings),
      block_rows_(RowsOfBlock(program, rows)) {
  const std::size_t input_count = program.inputs.size();
  const std::size_t register_count = program.registers.size();
  const std::size_t operand_count = program.most_operands;
  // Block sizes are multiples of 64, so that every room is aligned when the first is.
  const std::size_t tables = sizeof(Room) * (input_count + register_count) +
                             sizeof(Vec) * (input_count + register_count + operand_count);
  std::size_t bytes =
      2 * kAlignment + (sizeof(std::uint32_t) + program.bytes_per_row) * block_rows_ + tables;
  void* start = few_rows_.data();
  if (bytes > few_rows_.size()) {
    many_rows_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    start = many_rows_.get();
  }
  std::byte* next =
      static_cast<std::byte*>(std::align(kAlignment, bytes - kAlignment, start, bytes));
  const auto take = [&](std::size_t width) {
    std::byte* const taken = next;
    next += width * block_rows_;
    return taken;
  };
  const auto table = [&]<typename T>(std::span<T>& entries, std::size_t count) {
    entries = std::span(reinterpret_cast<T*>(next), count);
    std::uninitialized_value_construct(entries.begin(), entries.end());
    next += sizeof(T) * count;
  };
  const auto room = [&](ValueType type) {
    std::byte* const values = take(WidthOf(type));
    return Room{values, reinterpret_cast<std::uint8_t*>(take(1))};
  };
  static_assert(std::is_trivially_destructible_v<Room> && std::is_trivially_destructible_v<Vec>);
  static_assert(alignof(Vec) <= 8 && alignof(Room) <= 8 && sizeof(Room) % 8 == 0);
  table(input_rooms_, input_count);
  table(register_rooms_, register_count);
  table(input_vecs_, input_count);
  table(register_vecs_, register_count);
  table(operands_, operand_count);
  next += (kAlignment - reinterpret_cast<std::uintptr_t>(next) % kAlignment) % kAlignment;
  entries_room_ = reinterpret_cast<std::uint32_t*>(take(sizeof(std::uint32_t)));
  std::transform(program.registers.begin(), program.registers.end(), register_rooms_.begin(), room);
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    input_rooms_[i] = room(program.inputs[i].type);
    const Column* const column = inputs_[i].column();
    RANKD_CHECK(column == nullptr || column->type() == program.inputs[i].type);
  }
}

Vec Frame::Get(Operand operand) const {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return register_vecs_[operand.index];
    case OperandKind::kInput:
      return input_vecs_[operand.index];
    case OperandKind::kUniform:
      break;
  }
  return bindings_.slots[operand.index].AsVec();
}

void Frame::LoadValidity(const Column& column, const std::uint32_t* entries, std::size_t begin,
                         std::size_t n, std::uint8_t* valid) const {
  if (entries == nullptr) {
    Spread(column.validity().words().subspan(begin / 64), n, valid);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    valid[i] = static_cast<std::uint8_t>(column.validity().Get(entries[i]));
  }
}

void Frame::Load(std::size_t input, std::size_t begin, std::size_t n) {
  const InputColumn& source = inputs_[input];
  Vec& vec = input_vecs_[input];
  if (source.column() == nullptr) {
    vec = NullVec();
    return;
  }
  const Column& column = *source.column();
  const Room room = input_rooms_[input];
  const std::uint32_t* const entries = source.Entries(begin, n, entries_room_);
  vec = Vec{room.values, nullptr, false};
  if (column.has_nulls()) {
    LoadValidity(column, entries, begin, n, room.valid);
    vec.valid = room.valid;
  }
  if (!program_.inputs[input].in_blocks) return;
  WithCppType(column.type(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, std::string_view>) {
      const std::uint32_t* const codes = column.codes().data();
      const Dictionary& dictionary = *column.dictionary();
      auto* const out = reinterpret_cast<std::string_view*>(room.values);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t entry = entries == nullptr ? begin + i : entries[i];
        const bool valid = vec.valid == nullptr || vec.valid[i] != 0;
        out[i] = valid ? dictionary.At(codes[entry]) : std::string_view();
      }
    } else if (entries == nullptr) {
      vec.data = Slots<T>(column) + begin;
    } else {
      const T* const slots = Slots<T>(column);
      T* __restrict const out = reinterpret_cast<T*>(room.values);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < n; ++i) out[i] = slots[entries[i]];
    }
  });
}

void Frame::Run(std::size_t begin, std::size_t n) {
  arena_.Reset();
  for (std::size_t i = 0; i < inputs_.size(); ++i) Load(i, begin, n);
  for (const Instruction& instruction : program_.code) {
    for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
      operands_[i] = Get(program_.operands[instruction.first_operand + i]);
    }
    const Room room = register_rooms_[instruction.out.index];
    KernelCall call{instruction, operands_.first(instruction.operand_count),
                    n,           room.values,
                    room.valid,  bindings_.tables,
                    arena_};
    Execute(call);
    register_vecs_[instruction.out.index] = call.Result();
  }
}

}  // namespace rankd
