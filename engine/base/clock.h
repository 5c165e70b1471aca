// Time, as an argument: production reads the monotonic clock, tests move a fake one by hand.
#pragma once

#include <chrono>

namespace rankd {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// A point that no timer reaches: "no limit".
inline constexpr TimePoint kNever = TimePoint::max();

class Clock {
 public:
  virtual ~Clock() = default;
  /// Never decreases. Any thread.
  virtual TimePoint Now() const = 0;
};

/// CLOCK_MONOTONIC.
class SteadyClock final : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace rankd
