#include "engine/plan/failure_policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/suggest.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

constexpr std::array<std::string_view, 6> kRetryFields = {
    "max_attempts", "backoff_ms", "multiplier", "max_backoff_ms", "jitter", "on"};
constexpr std::array<std::string_view, 3> kOnErrorNames = {"fail", "empty", "pass"};

constexpr ErrorCode kRetriedByDefault[] = {ErrorCode::kRedisUnavailable, ErrorCode::kRedisTimeout,
                                           ErrorCode::kNodeTimeout, ErrorCode::kTaskFailed};

/// What a node cannot fail with, or may not catch.
bool IsOfTheRequest(ErrorCode code) {
  return code == ErrorCode::kDeadlineExceeded || code == ErrorCode::kCancelled;
}

}  // namespace

std::string_view OnErrorName(OnError on_error) {
  return kOnErrorNames[static_cast<std::size_t>(on_error)];
}

ErrorCodes ParseErrorCodes(const Json& list, const Place& place, Problems& problems) {
  ErrorCodes codes;
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < kErrorCodeCount; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (!IsOfTheRequest(code)) known.push_back(CodeName(code));
  }
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Json& item = list.items()[i];
    const std::string_view name = item.AsString().value_or(std::string_view());
    const std::optional<ErrorCode> code = CodeFromName(name);
    if (code && !IsOfTheRequest(*code)) {
      codes.set(static_cast<std::size_t>(*code));
    } else if (code) {
      problems.Add(Place(place, i).Pointer(),
                   JsonQuoted(name) + " ends the whole request, whatever a node does about it");
    } else {
      problems.Add(Place(place, i).Pointer(),
                   name.empty()
                       ? "an error code must be a string, not " + item.Describe()
                       : "unknown error code " + JsonQuoted(name) + DidYouMean(name, known));
    }
  }
  return codes;
}

Duration RetryPolicy::PauseAfter(std::int64_t attempt, double draw) const {
  // Beyond any deadline, and within what nanoseconds hold.
  constexpr double kLongest = 1e15;
  const double grown =
      static_cast<double>(backoff.count()) * std::pow(multiplier, static_cast<double>(attempt - 1));
  const double full = std::min({static_cast<double>(max_backoff.count()), grown, kLongest / 1e6});
  return Duration(static_cast<std::int64_t>(full * 1e6 * (1 - jitter * draw)));
}

std::optional<RetryPolicy> ParseRetry(const Json& json, const Place& place, Problems& problems) {
  const std::size_t errors_before = problems.error_count();
  if (!json.is_object()) {
    problems.Add(place.Pointer(), "\"retry\" must be an object, not " + json.Describe());
    return std::nullopt;
  }
  ObjectReader reader(json, place, problems);
  reader.RefuseOthers(kRetryFields);
  RetryPolicy policy;
  policy.max_attempts = reader.Int("max_attempts", 1, kMaxWhole, Need::kRequired).value_or(1);
  policy.backoff = std::chrono::milliseconds(reader.Int("backoff_ms", 0, kMaxWhole).value_or(0));
  policy.multiplier = reader.Number("multiplier", 1, 1e6).value_or(policy.multiplier);
  policy.max_backoff = std::chrono::milliseconds(
      reader.Int("max_backoff_ms", 0, kMaxWhole).value_or(policy.max_backoff.count()));
  policy.jitter = reader.Number("jitter", 0, 1).value_or(policy.jitter);
  if (const Json* codes = reader.Array("on", Need::kOptional)) {
    policy.on = ParseErrorCodes(*codes, Place(place, "on"), problems);
  } else {
    for (const ErrorCode code : kRetriedByDefault) policy.on.set(static_cast<std::size_t>(code));
  }
  if (problems.error_count() != errors_before) return std::nullopt;
  return policy;
}

OnError ParseOnError(const Json& json, const Place& place, Problems& problems) {
  const std::string_view name = json.AsString().value_or(std::string_view());
  const auto found = std::ranges::find(kOnErrorNames, name);
  if (found != kOnErrorNames.end()) return static_cast<OnError>(found - kOnErrorNames.begin());
  problems.Add(place.Pointer(), "\"on_error\" must be \"fail\", \"empty\" or \"pass\", not " +
                                    json.Describe() + DidYouMean(name, kOnErrorNames));
  return OnError::kFail;
}

}  // namespace rankd
