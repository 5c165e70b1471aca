// Loops over many rows that look at the stop token between blocks. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/base/result.h"
#include "engine/base/stop.h"

namespace rankd {

/// Rows between two looks at the stop token: tens of microseconds of work.
inline constexpr std::size_t kStopCheckRows = 16'384;

/// Calls `f(begin, end)` for consecutive blocks of 0…count. False, with the rest undone, once a
/// stop was seen.
template <typename F>
[[nodiscard]] bool ForEachBlock(std::size_t count, StopToken stop, F&& f) {
  for (std::size_t begin = 0; begin < count; begin += kStopCheckRows) {
    if (stop.stop_requested()) return false;
    f(begin, std::min(count, begin + kStopCheckRows));
  }
  return true;
}

/// What stopped work fails with; the run drops it.
inline std::unexpected<Error> Cancelled() { return Fail(ErrorCode::kCancelled, "cancelled"); }

}  // namespace rankd
