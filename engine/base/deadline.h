// Points in time that lie a limit away.
#pragma once

#include <chrono>

#include "engine/base/clock.h"

namespace rankd {

/// `limit` after `start`; kNever where the clock cannot tell a time that far away. A limit may be
/// 2^53 ms, but the clock's nanoseconds end after 292 years: a plain sum would wrap to the past.
/// `limit` is not negative.
inline TimePoint After(TimePoint start, std::chrono::milliseconds limit) {
  const auto left = std::chrono::floor<std::chrono::milliseconds>(kNever - start);
  return limit < left ? start + limit : kNever;
}

}  // namespace rankd
