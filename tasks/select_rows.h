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

/// Puts the first `count` rows by `column`, one of `rows`, at the front of `order`, in the order a
/// stable sort gives them (nulls last), and leaves the others behind them as they are. `order`
/// holds the numbers of all rows, ascending. O(rows) for a count that is small beside them. Fails
/// only with cancelled.
[[nodiscard]] Result<void> SelectRows(const RowSet& rows, const Column& column, bool descending,
                                      std::size_t count, StopToken stop,
                                      std::vector<std::uint32_t>& order);

}  // namespace rankd
