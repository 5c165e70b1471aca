// Columns gathered by row numbers of which some name no row. Any thread.
#pragma once

#include <cstdint>
#include <span>

#include "engine/data/column.h"

namespace rankd {

/// Slot `rows[i]` of `column` for each i, or `fill` (null or of the column's type) where that is
/// kNoRow. The dictionary is shared where it can be.
ColumnRef GatherOrFill(const Column& column, std::span<const std::uint32_t> rows,
                       const Value& fill);

}  // namespace rankd
