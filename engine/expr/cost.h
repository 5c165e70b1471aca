// How long an expression takes, roughly: for the choice between inline and pool.
#pragma once

#include "engine/expr/compiled.h"

namespace rankd {

/// Nanoseconds a row, from the instructions alone.
double EstimateCostPerRow(const Expression& expression);

}  // namespace rankd
