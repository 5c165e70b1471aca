#include "cli/log_line.h"

#include <chrono>

#include "engine/base/json.h"
#include "engine/base/number_text.h"

namespace rankd {
namespace {

void AppendCount(std::string& out, std::string_view label, std::uint64_t count) {
  out += label;
  AppendInt(out, static_cast<std::int64_t>(count));
}

}  // namespace

void AppendLogLine(std::string& out, const LogEntry& entry) {
  out.append("{\"request_id\":").append(entry.request_id);
  out += ",\"plan\":";
  if (entry.plan.empty()) {
    out += "null";
  } else {
    AppendJsonString(out, entry.plan);
  }
  if (entry.failure) {
    out.append(",\"status\":\"error\",\"code\":\"").append(CodeName(*entry.failure)).append("\"");
  } else {
    out += ",\"status\":\"ok\",\"code\":null";
  }
  const auto latency = std::chrono::duration_cast<std::chrono::microseconds>(entry.latency);
  AppendCount(out, ",\"latency_us\":", static_cast<std::uint64_t>(latency.count()));
  AppendCount(out, ",\"rows\":", entry.rows);
  AppendCount(out, ",\"redis_commands\":", entry.kv.commands);
  AppendCount(out, ",\"redis_bytes_sent\":", entry.kv.bytes_sent);
  AppendCount(out, ",\"redis_bytes_received\":", entry.kv.bytes_received);
  out += "}\n";
}

}  // namespace rankd
