#include "engine/base/error.h"

#include <array>

namespace rankd {
namespace {

constexpr std::array<std::string_view, kErrorCodeCount> kNames = {
    "invalid_json",  "invalid_request",   "request_too_large",
    "unknown_plan",  "invalid_plan",      "unsupported_capability",
    "invalid_param", "missing_param",     "deadline_exceeded",
    "node_timeout",  "redis_unavailable", "redis_timeout",
    "redis_error",   "bad_data",          "null_value",
    "duplicate_key", "task_failed",       "limit_exceeded",
    "cancelled",     "internal",
};

}  // namespace

std::string_view CodeName(ErrorCode code) { return kNames[static_cast<std::size_t>(code)]; }

std::optional<ErrorCode> CodeFromName(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ErrorCode>(i);
  }
  return std::nullopt;
}

}  // namespace rankd
