// Values that are the same for all rows, and the code that computes them once.
#pragma once

#include <span>

#include "engine/expr/compiled.h"
#include "engine/expr/kernels.h"

namespace rankd {

/// Runs a program whose operands and results are all uniform. Strings it makes live in `arena`.
void RunOnce(const Program& program, std::span<UniformSlot> slots, const KernelTables& tables,
             StringArena& arena);

}  // namespace rankd
