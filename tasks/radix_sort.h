// Sorting rows by a 64-bit key. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/stop.h"

namespace rankd {

struct KeyedRow {
  std::uint64_t key = 0;
  std::uint32_t row = 0;
};

/// So few keys that it is cheaper to compare each with each, without a branch on what comes out.
inline constexpr std::size_t kVeryFewKeys = 64;
template <typename T>
using VeryFew = std::array<T, kVeryFewKeys>;
/// By key: where it stands in a stable sort.
using Places = VeryFew<std::uint8_t>;
/// Of the first `count` keys. Of double, which the processor compares at twice the speed, none may
/// be NaN. What stands behind them is overwritten.
void PlaceKeys(VeryFew<std::int64_t>& keys, std::size_t count, Places& places);
void PlaceKeys(VeryFew<double>& keys, std::size_t count, Places& places);
/// Of at most kVeryFewKeys keys.
void PlaceKeys(std::span<const std::uint64_t> keys, Places& places);

/// Sorts by key, stable: a radix sort from the least significant byte that leaves out bytes in
/// which all keys agree; fewer rows are merged, few placed by PlaceKeys. False, with the rows in no
/// particular order, once a stop was seen.
[[nodiscard]] bool SortByKey(std::vector<KeyedRow>& rows, StopToken stop);

}  // namespace rankd
