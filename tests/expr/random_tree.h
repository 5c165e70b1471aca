// Random well-typed expressions.
#pragma once

#include <random>

#include "tests/expr/reference.h"

namespace rankd::test {

/// Of `type` (an int may come where a float is asked for, null anywhere), about `depth` deep.
Tree RandomTree(std::mt19937& random, ValueType type, int depth);

}  // namespace rankd::test
