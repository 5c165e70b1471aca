// The functions and aggregates an expression may call: names, numbers of arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace rankd {

/// Row functions first, then aggregates (from kCount on).
enum class Function : std::uint8_t {
  kCoalesce,
  kIf,
  kIsNull,
  kNotNull,
  kMin,
  kMax,
  kAbs,
  kFloor,
  kCeil,
  kRound,
  kSqrt,
  kExp,
  kLog,
  kLog1p,
  kPow,
  kClamp,
  kSigmoid,
  kRegex,
  kStartsWith,
  kEndsWith,
  kContains,
  kLower,
  kLen,
  kText,
  kConcat,
  kCount,
  kSum,
  kMean,
  kLowest,
  kHighest,
  kFirst,
  kLast,
  kAll,
  kAny,
};

constexpr bool IsAggregate(Function function) { return function >= Function::kCount; }

inline constexpr std::size_t kAnyNumberOfArguments = std::numeric_limits<std::size_t>::max();

struct FunctionSpec {
  std::string_view name;
  Function function;
  std::size_t min_arguments;
  std::size_t max_arguments;
};

/// In the order of the enum.
std::span<const FunctionSpec> Functions();

/// Nullptr for a name that is no function.
const FunctionSpec* FindFunction(std::string_view name);

std::string_view FunctionName(Function function);

/// `unknown function "flor", did you mean "floor"?`
std::string UnknownFunction(std::string_view name);

/// Empty when `count` arguments are fine, else `pow() takes 2 arguments, not 1`.
std::string WrongArgumentCount(const FunctionSpec& spec, std::size_t count);

}  // namespace rankd
