#include "engine/plan/failure_policy.h"

#include <chrono>
#include <limits>

#include <doctest/doctest.h>

#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

std::optional<RetryPolicy> ParseRetry(std::string_view json) {
  const JsonDocument document = MustParse(json);
  Problems problems;
  const auto policy = ParseRetry(document.root(), Place(), problems);
  CheckErrors(problems, {});
  return policy;
}

TEST_CASE("what a retry does not say has its default") {
  const RetryPolicy policy = ParseRetry(R"({"max_attempts":3,"backoff_ms":10})").value();
  CHECK(policy.max_attempts == 3);
  CHECK(policy.backoff == milliseconds(10));
  CHECK(policy.multiplier == 2);
  CHECK(policy.max_backoff == milliseconds(1000));
  CHECK(policy.jitter == 0.5);
  for (std::size_t i = 0; i < kErrorCodeCount; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const bool retried = code == ErrorCode::kRedisUnavailable || code == ErrorCode::kRedisTimeout ||
                         code == ErrorCode::kNodeTimeout || code == ErrorCode::kTaskFailed;
    CHECK(policy.Covers(code) == retried);
  }
}

TEST_CASE("a retry says on which codes") {
  const RetryPolicy policy = ParseRetry(R"({"max_attempts":2,"on":["bad_data"]})").value();
  CHECK(policy.Covers(ErrorCode::kBadData));
  CHECK_FALSE(policy.Covers(ErrorCode::kTaskFailed));
  CHECK(ParseRetry(R"({"max_attempts":2,"on":[]})")->on.none());
}

TEST_CASE("pauses grow up to a limit, and chance takes up to the jitter off") {
  const RetryPolicy policy =
      ParseRetry(R"({"max_attempts":9,"backoff_ms":10,"multiplier":3,"max_backoff_ms":200})")
          .value();
  CHECK(policy.PauseAfter(1, 0) == milliseconds(10));
  CHECK(policy.PauseAfter(2, 0) == milliseconds(30));
  CHECK(policy.PauseAfter(3, 0) == milliseconds(90));
  CHECK(policy.PauseAfter(4, 0) == milliseconds(200));
  CHECK(policy.PauseAfter(1000000, 0) == milliseconds(200));
  CHECK(policy.PauseAfter(1, 0.5) == microseconds(7500));
  CHECK(policy.PauseAfter(1, 0.999999) >= milliseconds(5));
}

TEST_CASE("pauses of any size stay within what a clock can tell") {
  RetryPolicy policy;
  policy.backoff = policy.max_backoff = milliseconds(std::int64_t{1} << 53);
  CHECK(policy.PauseAfter(std::numeric_limits<std::int64_t>::max(), 0) > std::chrono::hours(24));
}

}  // namespace
}  // namespace rankd
