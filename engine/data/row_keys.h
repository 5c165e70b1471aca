// The values of one column as 64-bit numbers, one for each row: what grouping, joining and sorting
// compare instead of values. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/column.h"
#include "engine/data/rowset.h"

namespace rankd {

/// By row of the RowSet, in its order. The entry of a null row means nothing.
using RowKeys = std::vector<std::uint64_t>;

/// Equal exactly where the values are (-0.0 equals 0.0); strings by the column's own dictionary.
/// `column` is one of `rows`. Fails only with cancelled.
[[nodiscard]] Result<RowKeys> EqualityKeys(const RowSet& rows, const Column& column,
                                           StopToken stop);

/// Ordered and equal as the values are: strings by bytes, false before true, -0.0 equal to 0.0.
/// `column` is one of `rows`. Fails only with cancelled.
[[nodiscard]] Result<RowKeys> OrderKeys(const RowSet& rows, const Column& column, StopToken stop);

}  // namespace rankd
