// The values of one column as 64-bit numbers, one for each row: what grouping, joining and sorting
// compare instead of values. Any thread.
#pragma once

#include <bit>
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

/// The same of one value of a column that holds no strings.
inline std::uint64_t OrderKey(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63;
}
inline std::uint64_t OrderKey(double value) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  // Negative doubles grow downwards in their bits, positive ones upwards; -0.0 + 0.0 is 0.0.
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  const auto all_if_negative = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63);
  return bits ^ (all_if_negative | kSign);
}
inline std::uint64_t OrderKey(std::uint8_t value) { return value; }

}  // namespace rankd
