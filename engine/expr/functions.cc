#include "engine/expr/functions.h"

#include <array>
#include <vector>

#include "engine/expr/diagnostics.h"

namespace rankd {
namespace {

constexpr std::size_t kMany = kAnyNumberOfArguments;

constexpr std::array kFunctions = {
    FunctionSpec{"coalesce", Function::kCoalesce, 1, kMany},
    FunctionSpec{"if", Function::kIf, 3, 3},
    FunctionSpec{"is_null", Function::kIsNull, 1, 1},
    FunctionSpec{"not_null", Function::kNotNull, 1, 1},
    FunctionSpec{"min", Function::kMin, 2, kMany},
    FunctionSpec{"max", Function::kMax, 2, kMany},
    FunctionSpec{"abs", Function::kAbs, 1, 1},
    FunctionSpec{"floor", Function::kFloor, 1, 1},
    FunctionSpec{"ceil", Function::kCeil, 1, 1},
    FunctionSpec{"round", Function::kRound, 1, 1},
    FunctionSpec{"sqrt", Function::kSqrt, 1, 1},
    FunctionSpec{"exp", Function::kExp, 1, 1},
    FunctionSpec{"log", Function::kLog, 1, 1},
    FunctionSpec{"log1p", Function::kLog1p, 1, 1},
    FunctionSpec{"pow", Function::kPow, 2, 2},
    FunctionSpec{"clamp", Function::kClamp, 3, 3},
    FunctionSpec{"sigmoid", Function::kSigmoid, 1, 1},
    FunctionSpec{"regex", Function::kRegex, 2, 3},
    FunctionSpec{"starts_with", Function::kStartsWith, 2, 2},
    FunctionSpec{"ends_with", Function::kEndsWith, 2, 2},
    FunctionSpec{"contains", Function::kContains, 2, 2},
    FunctionSpec{"lower", Function::kLower, 1, 1},
    FunctionSpec{"len", Function::kLen, 1, 1},
    FunctionSpec{"text", Function::kText, 1, 1},
    FunctionSpec{"concat", Function::kConcat, 1, kMany},
    FunctionSpec{"count", Function::kCount, 0, 0},
    FunctionSpec{"sum", Function::kSum, 1, 1},
    FunctionSpec{"mean", Function::kMean, 1, 1},
    FunctionSpec{"lowest", Function::kLowest, 1, 1},
    FunctionSpec{"highest", Function::kHighest, 1, 1},
    FunctionSpec{"first", Function::kFirst, 1, 1},
    FunctionSpec{"last", Function::kLast, 1, 1},
    FunctionSpec{"all", Function::kAll, 1, 1},
    FunctionSpec{"any", Function::kAny, 1, 1},
};

constexpr bool InOrderOfEnum() {
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (static_cast<std::size_t>(kFunctions[i].function) != i) return false;
  }
  return true;
}
static_assert(InOrderOfEnum());

}  // namespace

std::span<const FunctionSpec> Functions() { return kFunctions; }

const FunctionSpec* FindFunction(std::string_view name) {
  for (const FunctionSpec& spec : kFunctions) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

std::string_view FunctionName(Function function) {
  return kFunctions[static_cast<std::size_t>(function)].name;
}

std::string UnknownFunction(std::string_view name) {
  std::vector<std::string_view> known;
  known.reserve(kFunctions.size());
  for (const FunctionSpec& spec : kFunctions) known.push_back(spec.name);
  if (name == "ln") return "unknown function \"ln\"; the natural logarithm is log";
  return "unknown function " + Quoted(name) + Suggestion(name, known);
}

std::string WrongArgumentCount(const FunctionSpec& spec, std::size_t count) {
  if (count >= spec.min_arguments && count <= spec.max_arguments) return {};
  std::string wanted = std::to_string(spec.min_arguments);
  if (spec.max_arguments == kMany) {
    wanted = "at least " + wanted;
  } else if (spec.max_arguments != spec.min_arguments) {
    wanted += " to " + std::to_string(spec.max_arguments);
  }
  const bool one =
      spec.min_arguments == 1 && (spec.max_arguments == 1 || spec.max_arguments == kMany);
  return std::string(spec.name) + "() takes " + wanted +
         (one ? " argument, not " : " arguments, not ") + std::to_string(count);
}

}  // namespace rankd
