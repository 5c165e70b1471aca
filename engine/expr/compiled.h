// The compiled form behind ExpressionRef: built by Lower, immutable from then on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/data/value.h"
#include "engine/expr/expression.h"
#include "engine/expr/functions.h"
#include "engine/expr/lookup_memory.h"
#include "engine/expr/program.h"
#include "engine/expr/regex.h"
#include "engine/expr/string_arena.h"
#include "engine/expr/vec.h"

namespace rankd {

/// A value that is the same for all rows. Strings are views of memory that outlives it.
struct UniformSlot {
  ValueBytes value;
  bool valid = false;

  Vec AsVec() const { return Vec{&value, valid ? nullptr : kNoneValid.data(), true}; }
};

/// Writes `value` (of `type`, or null) to a slot; a string is viewed, not copied.
void SetSlot(UniformSlot& slot, ValueType type, const Value& value);
Value SlotValue(const UniformSlot& slot, ValueType type);

/// A slot that Bind fills.
struct UniformSource {
  enum class Kind : std::uint8_t { kParam, kLoopVariable, kErrorField };
  Kind kind{};
  ValueType type{};
  std::uint32_t index = 0;  ///< ParamId, number of the variable, or ErrorFieldSlot.
  std::uint32_t slot = 0;
};

/// A param by its name, for messages.
struct NamedParam {
  ParamId param{};
  std::string name;
};

/// A regex, compiled already or, for a param, when it is bound.
struct RegexSource {
  Regex literal;
  std::optional<NamedParam> param;
  bool ignore_case = false;
};

/// A part of a row program that reads one string key and nothing else of the row: evaluated once
/// for each string there is, then by code.
struct Lookup {
  KeyId key{};
  Program program;
  std::unique_ptr<LookupMemory> memory;  ///< None where it depends on the run.
};

struct Aggregate {
  Function function{};
  std::optional<std::uint32_t> root;  ///< Argument: number of a root of the inner program.
  ValueType argument{};
  ValueType result{};
};

class Expression {
 public:
  ExpressionKind kind{};
  ValueType type{};                  ///< Of what it evaluates to.
  bool only_null = false;            ///< Nothing but null, and no target to say of which type.
  std::vector<KeyId> keys;           ///< Sorted.
  std::vector<ParamId> params;       ///< Sorted.
  std::vector<NamedParam> required;  ///< `nullable:false` and used where null is no answer.
  double cost_per_row = 0;

  Program main;   ///< Over rows; for a scalar, over groups. One root.
  Program inner;  ///< Scalars: over rows, the arguments of the aggregates.
  Program once;   ///< Run by Bind: what depends on params, loop variables and the error only.
  std::vector<Lookup> lookups;
  std::vector<Aggregate> aggregates;

  std::vector<UniformSlot> slots;  ///< Constants are filled in.
  std::vector<UniformSource> sources;
  std::vector<InList> lists;
  std::vector<RegexSource> regex_sources;
  StringArena strings;  ///< The constants' bytes.
};

}  // namespace rankd
