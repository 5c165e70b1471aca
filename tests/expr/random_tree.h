// Random well-typed expressions.
#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "tests/expr/reference.h"

namespace rankd::test {

/// Gives the next number; of a fuzzer's bytes, 0 when they are used up. All choices then end.
using RandomNumbers = std::function<std::uint32_t()>;

/// Of `type` (an int may come where a float is asked for, null anywhere), about `depth` deep.
Tree RandomTree(RandomNumbers random, ValueType type, int depth);
Tree RandomTree(std::mt19937& random, ValueType type, int depth);

}  // namespace rankd::test
