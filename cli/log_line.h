// The lines of --log FILE, one for each request, for audits. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/run/run.h"

namespace rankd {

/// What is said of one request.
struct LogEntry {
  std::string_view request_id;       ///< JSON text.
  std::string_view plan;             ///< Empty where the request named none that can be run.
  std::optional<ErrorCode> failure;  ///< Nullopt: it succeeded.
  Duration latency{};                ///< From admission to the answer.
  std::uint64_t rows = 0;            ///< In the answer.
  KvUsage kv;
};

/// Appends `{"request_id":…,"plan":…,"status":"ok"|"error","code":…,"latency_us":…,"rows":…,
/// "redis_commands":…,"redis_bytes_sent":…,"redis_bytes_received":…}` and a line end; plan and code
/// are null where there is none.
void AppendLogLine(std::string& out, const LogEntry& entry);

}  // namespace rankd
