// The first few rows by one key, without sorting the others. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/column.h"
#include "engine/data/rowset.h"

namespace rankd {

/// The numbers of the first `count` rows by `column`, one of `rows`, in the order a stable sort
/// gives them (nulls last). O(rows) for a count that is small beside them. Fails only with
/// cancelled.
[[nodiscard]] Result<std::vector<std::uint32_t>> SelectRows(const RowSet& rows,
                                                            const Column& column, bool descending,
                                                            std::size_t count, StopToken stop);

}  // namespace rankd
