// Whole columns out of programs.
#pragma once

#include <span>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/rowset.h"
#include "engine/expr/compiled.h"
#include "engine/expr/frame.h"
#include "engine/expr/input.h"

namespace rankd {

/// Calls sink(frame, begin, n) after each block of `rows` rows; false when `stop` was seen.
template <typename Sink>
bool RunBlocks(Frame& frame, std::size_t rows, const StopToken& stop, Sink&& sink) {
  for (std::size_t begin = 0; begin < rows; begin += frame.block_rows()) {
    if (stop.stop_requested()) return false;
    const std::size_t n = std::min(frame.block_rows(), rows - begin);
    frame.Run(begin, n);
    sink(begin, n);
  }
  return true;
}

/// The first root of `program` as a column of `rows` values.
[[nodiscard]] Result<ColumnRef> EvaluateRoot(const Program& program,
                                             std::span<const InputColumn> inputs,
                                             const Bindings& bindings, std::size_t rows,
                                             const StopToken& stop);

/// Fills in the inputs of a program over rows, as many as it has. Lookups are evaluated here.
[[nodiscard]] Result<void> ResolveInputs(const Program& program, const Expression& expression,
                                         const RowSet& rows, const Bindings& bindings,
                                         const StopToken& stop, InputColumns& inputs);

}  // namespace rankd
