// A program at work: its registers for one block of rows, and the loop body over blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/expr/compiled.h"
#include "engine/expr/input.h"
#include "engine/expr/kernels.h"

namespace rankd {

/// What the code of one bound expression refers to besides its rows. Outlives the frames.
struct Bindings {
  std::span<const UniformSlot> slots;
  KernelTables tables;
};

class Frame {
 public:
  /// For up to `rows` rows. `inputs` are those of `program`, in order.
  Frame(const Program& program, std::span<const InputColumn> inputs, const Bindings& bindings,
        std::size_t rows);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Rows to give Run at once; a multiple of 64, at most kBlockRows.
  std::size_t block_rows() const { return block_rows_; }

  /// Computes rows [begin, begin + n), n at most block_rows(), begin a multiple of it.
  void Run(std::size_t begin, std::size_t n);

  /// The values of a root for the rows of the latest Run; until the next one.
  Vec Get(Operand operand) const;

 private:
  /// Room for one block of one operand.
  struct Room {
    std::byte* values = nullptr;
    std::uint8_t* valid = nullptr;
  };

  void Load(std::size_t input, std::size_t begin, std::size_t n);
  void LoadValidity(const Column& column, const std::uint32_t* entries, std::size_t begin,
                    std::size_t n, std::uint8_t* valid) const;

  const Program& program_;
  std::span<const InputColumn> inputs_;
  const Bindings& bindings_;
  std::size_t block_rows_;
  /// Of one of these is all of the following: over a few rows an allocation costs more than the
  /// work.
  std::array<std::byte, 8192> few_rows_;
  std::unique_ptr<std::byte[]> many_rows_;
  std::span<Room> input_rooms_;
  std::span<Room> register_rooms_;
  std::uint32_t* entries_room_ = nullptr;
  std::span<Vec> input_vecs_;
  std::span<Vec> register_vecs_;
  std::span<Vec> operands_;  // of the instruction at work
  StringArena arena_;        // of the block at work
};

}  // namespace rankd
