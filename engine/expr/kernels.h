// The kernels: one instruction over one block of rows. No dispatch inside a row loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/expr/program.h"
#include "engine/expr/regex.h"
#include "engine/expr/string_arena.h"
#include "engine/expr/vec.h"

namespace rankd {

/// What instructions refer to by number.
struct KernelTables {
  std::span<const InList> lists;
  std::span<const Regex> regexes;
};

/// One execution of an instruction.
struct KernelCall {
  const Instruction& instruction;
  std::span<const Vec> operands;
  std::size_t rows;     ///< At most kBlockRows.
  void* out;            ///< Room for `rows` values; overlaps no operand.
  std::uint8_t* valid;  ///< Room for `rows` bytes; overlaps no operand.
  const KernelTables& tables;
  StringArena& arena;      ///< Where strings that are made live.
  bool has_nulls = false;  ///< Set by the kernel: `valid` was written.

  template <typename T>
  T* Out() const {
    return static_cast<T*>(out);
  }
  /// The result as an operand.
  Vec Result() const { return Vec{out, has_nulls ? valid : nullptr, false}; }
};

/// Any instruction.
void Execute(KernelCall& call);

// By file. Each takes the ops named.
void ExecuteInt(KernelCall& call);         ///< kIntToFloat … kClampInt
void ExecuteFloat(KernelCall& call);       ///< kAddFloat … kPow
void ExecuteComparison(KernelCall& call);  ///< kCompareInt … kInString
void ExecuteLogic(KernelCall& call);       ///< kAnd … kCoalesce
void ExecuteString(KernelCall& call);      ///< kRegex … kConcat

/// True, and the result all null, when some operand is null for every row.
bool NullFromNull(KernelCall& call);

/// Null where any operand is null. To be called before a kernel adds nulls of its own.
void NullWhereOperandsAre(KernelCall& call);

/// `valid` to write to, all ones if there were no nulls yet.
std::uint8_t* WritableValidity(KernelCall& call);

}  // namespace rankd
