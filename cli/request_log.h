// RequestLog: --log FILE, one JSON line for each request, for audits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/side_file.h"
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

/// Lines stand in the order of the answers: `{"request_id":…,"plan":…,"status":"ok"|"error",
/// "code":…,"latency_us":…,"rows":…,"redis_commands":…,"redis_bytes_sent":…,
/// "redis_bytes_received":…}`; plan and code are null where there is none. Loop thread only.
class RequestLog {
 public:
  explicit RequestLog(std::unique_ptr<SideFile> file) : file_(std::move(file)) {}

  SideFile& file() { return *file_; }
  void Write(const LogEntry& entry);

 private:
  std::unique_ptr<SideFile> file_;
};

}  // namespace rankd
