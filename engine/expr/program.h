// What an expression is lowered to: straight-line code over typed registers, each a block of rows.
// Immutable once built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/data/value.h"

namespace rankd {

enum class OpCode : std::uint8_t {
  kIntToFloat,
  // Numbers; null if any operand is, except kMin* and kMax*.
  kAddInt,
  kSubInt,
  kMulInt,
  kModInt,
  kNegInt,
  kAbsInt,
  kMinInt,
  kMaxInt,
  kClampInt,
  kAddFloat,
  kSubFloat,
  kMulFloat,
  kDivFloat,
  kModFloat,
  kNegFloat,
  kAbsFloat,
  kMinFloat,
  kMaxFloat,
  kClampFloat,
  kFloor,  // float to int, as the next two
  kCeil,
  kRound,
  kSqrt,
  kExp,
  kLog,
  kLog1p,
  kSigmoid,
  kPow,
  // Bools, never null. detail of kCompare*: Comparison.
  kCompareInt,
  kCompareFloat,
  kCompareBool,
  kCompareString,
  kInInt,  // detail of kIn*: number of an InList
  kInFloat,
  kInBool,
  kInString,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kNotNull,
  // Any type.
  kIf,
  kCoalesce,
  // Strings.
  kRegex,  // detail: number of a regex
  kStartsWith,
  kEndsWith,
  kContains,
  kLower,
  kLen,
  kTextInt,
  kTextFloat,
  kTextBool,
  kConcat,
};

enum class Comparison : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

enum class OperandKind : std::uint8_t {
  kRegister,
  kInput,    ///< A ProgramInput.
  kUniform,  ///< The same for all rows: a UniformSlot of the expression.
};

struct Operand {
  OperandKind kind = OperandKind::kUniform;
  ValueType type = ValueType::kInt;
  std::uint32_t index = 0;
};

struct Instruction {
  OpCode op{};
  Operand out;  ///< A register, or a uniform for code that runs once.
  std::uint32_t detail = 0;
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
};

enum class InputKind : std::uint8_t {
  kKey,        ///< index: KeyId
  kLookup,     ///< index: number of a Lookup
  kAggregate,  ///< index: number of an Aggregate
};

/// A column the program reads.
struct ProgramInput {
  InputKind kind{};
  ValueType type = ValueType::kInt;
  std::uint32_t index = 0;
  bool in_blocks = false;  ///< Some instruction or sink needs its values block by block.
};

struct Program {
  std::vector<ProgramInput> inputs;
  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<ValueType> registers;  ///< By number: a type of the width it has.
  std::vector<Operand> roots;        ///< What it is evaluated for.
  // Counted once, for each evaluation needs them:
  std::uint32_t most_operands = 0;  ///< Of one instruction.
  std::uint32_t bytes_per_row = 0;  ///< Of registers and blocks of inputs, with their validity.
};

/// The literals on the right of `in`, sorted; nulls left out.
struct InList {
  std::vector<std::int64_t> ints;
  std::vector<double> floats;  ///< For an int on the left: the floats only; else all numbers.
  std::vector<std::string> strings;
  bool has_true = false;
  bool has_false = false;
};

}  // namespace rankd
