// Sorting rows by a 64-bit key. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/stop.h"

namespace rankd {

struct KeyedRow {
  std::uint64_t key = 0;
  std::uint32_t row = 0;
};

/// Sorts by key, stable: a radix sort from the least significant byte that leaves out bytes in
/// which all keys agree; few rows are merged instead. False, with the rows in no particular order,
/// once a stop was seen.
[[nodiscard]] bool SortByKey(std::vector<KeyedRow>& rows, StopToken stop);

}  // namespace rankd
