// How long to wait between attempts to connect. Pure.
#pragma once

#include <cstdint>
#include <random>

#include "engine/base/clock.h"

namespace rankd {

/// 10 ms, doubling up to 1 s; each time multiplied by 0.5…1 at random, so that clients which lost
/// the same server do not come back in step.
class Backoff {
 public:
  explicit Backoff(std::uint32_t seed) : random_(seed) {}

  /// The wait before the next attempt.
  Duration Next();
  /// After a success: the next wait is a short one again.
  void Reset() { wait_ = kFirst; }

  static constexpr Duration kFirst = std::chrono::milliseconds(10);
  static constexpr Duration kLongest = std::chrono::seconds(1);

 private:
  Duration wait_ = kFirst;
  std::minstd_rand random_;
};

}  // namespace rankd
