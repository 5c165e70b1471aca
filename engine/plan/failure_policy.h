// What a node does about its own failure: `retry` and `on_error`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/plan/place.h"
#include "engine/plan/problem.h"

namespace rankd {

/// `retry` of a node: exponential backoff with jitter.
struct RetryPolicy {
  std::int64_t max_attempts = 1;  ///< All executions, the first included.
  std::chrono::milliseconds backoff{0};
  double multiplier = 2;
  std::chrono::milliseconds max_backoff{1000};
  double jitter = 0.5;  ///< 0…1: how much of a pause is left to chance.
  ErrorCodes on;

  bool Covers(ErrorCode code) const { return on[static_cast<std::size_t>(code)]; }
  /// The pause after the `attempt`th execution, from 1: min(max_backoff, backoff ·
  /// multiplier^(attempt-1)), times 1 - jitter · `draw`; `draw` is uniform in [0, 1).
  Duration PauseAfter(std::int64_t attempt, double draw) const;
};

/// `on_error` of a node: what stands for its rows once it has failed for good.
enum class OnError : std::uint8_t {
  kFail,   ///< Nothing: the failure goes on.
  kEmpty,  ///< No rows.
  kPass,   ///< The first input's rows; no rows without inputs.
};

/// "fail", "empty", "pass"
std::string_view OnErrorName(OnError on_error);

/// The codes a list of names stands for. Those that end the whole request, deadline_exceeded and
/// cancelled, are refused: no node fails with them.
ErrorCodes ParseErrorCodes(const Json& list, const Place& place, Problems& problems);

/// Reads the object `json`; nullopt when something in it is broken, which is recorded.
std::optional<RetryPolicy> ParseRetry(const Json& json, const Place& place, Problems& problems);

/// Reads "fail", "empty" or "pass".
OnError ParseOnError(const Json& json, const Place& place, Problems& problems);

}  // namespace rankd
