#include "engine/run/trace_json.h"

#include <chrono>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/run/critical_path.h"

namespace rankd {
namespace {

void AppendNumber(std::string& out, std::string_view label, std::int64_t number) {
  out += label;
  AppendInt(out, number);
}

void AppendSpan(std::string& out, const RunTrace& trace, const NodeSpan& span) {
  const auto micros = [&](TimePoint time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time - trace.start).count();
  };
  const GraphNode& node = trace.NodeOf(span);
  out += "{\"node\":";
  AppendJsonString(out, node.id);
  out += ",\"op\":";
  AppendJsonString(out, node.op);
  if (span.activation != 0) {
    std::string place = trace.PlaceOf(span);
    place.pop_back();  // the slash
    out += ",\"activation\":";
    AppendJsonString(out, place);
  }
  AppendNumber(out, ",\"ready_us\":", micros(span.ready));
  AppendNumber(out, ",\"start_us\":", micros(span.start));
  AppendNumber(out, ",\"end_us\":", micros(span.end));
  out.append(",\"ran_on\":\"").append(RanOnName(span.ran_on)).append("\"");
  AppendNumber(out, ",\"rows_in\":", static_cast<std::int64_t>(span.rows_in));
  AppendNumber(out, ",\"rows_out\":", static_cast<std::int64_t>(span.rows_out));
  if (span.attempts > 1) AppendNumber(out, ",\"attempts\":", span.attempts);
  if (span.skipped > 0) {
    AppendNumber(out, ",\"skipped\":", static_cast<std::int64_t>(span.skipped));
  }
  if (span.recovered) {
    out += node.on_error == OnError::kPass ? ",\"on_error\":\"pass\"" : ",\"on_error\":\"empty\"";
  }
  out += '}';
}

}  // namespace

void AppendTraceJson(std::string& out, const RunTrace& trace) {
  out += "{\"nodes\":[";
  for (const NodeSpan& span : trace.nodes) {
    AppendSpan(out, trace, span);
    out += ',';
  }
  if (out.back() == ',') out.pop_back();
  out += "],\"critical_path\":[";
  for (const std::uint32_t index : CriticalPath(trace)) {
    const NodeSpan& span = trace.nodes[index];
    AppendJsonString(out, trace.PlaceOf(span) + trace.NodeOf(span).id);
    out += ',';
  }
  if (out.back() == ',') out.pop_back();
  out += "],\"total_us\":";
  AppendInt(
      out,
      std::chrono::duration_cast<std::chrono::microseconds>(trace.answered - trace.start).count());
  if (trace.left_out > 0) {
    AppendNumber(out, ",\"left_out\":", static_cast<std::int64_t>(trace.left_out));
  }
  out += '}';
}

}  // namespace rankd
