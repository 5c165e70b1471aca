// TraceWriter: the events of --trace FILE, the trace-event JSON that Perfetto and chrome://tracing
// open.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/trace_lanes.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/run/trace.h"

namespace rankd {

/// What the writers of one file share.
struct TraceContext {
  int process_id = 0;
  TimePoint start{};             ///< Where the trace's time begins.
  std::uint32_t loop_count = 1;  ///< Loops that requests run on.
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint32_t> pool_threads_named = 0;
};

/// What a trace begins with: the opening of its array, the process and the loops.
void AppendTraceHead(std::string& out, const TraceContext& context);
/// What comes last.
inline constexpr std::string_view kTraceEnd = "\n]\n";

/// Writes what requests of one loop did. The events of one run stand together, written when it is
/// over: every span is closed, whatever ended it. A track for each loop and for each thread of the
/// pool show CPU work. Async spans show requests with their nodes, in these what their bodies ran,
/// and their pipelines. Nodes that ran side by side have ids of their own, because spans of one id
/// must nest: they stand in a span named for their plan with "+1" and so on behind it. One thread.
///
/// The format is the JSON array form of "Trace Event Format" (Chromium project), times in
/// microseconds.
class TraceWriter {
 public:
  /// `loop`: its number, below context.loop_count. `context` must outlive it.
  TraceWriter(TraceContext& context, std::uint32_t loop);

  /// Appends the events of a run. `failure`: how it ended, nullopt for well. `request_id`: JSON
  /// text.
  void Append(std::string& out, const RunTrace& trace, std::string_view request_id,
              std::optional<ErrorCode> failure);

 private:
  void WriteRequest(const RunTrace& trace, std::string_view request_id,
                    std::optional<ErrorCode> failure);
  void WriteLane(const RunTrace& trace, std::span<const TracePlace> places, std::uint64_t async_id);
  void WriteBegin(const RunTrace& trace, std::uint32_t span, std::uint64_t async_id);
  void WriteEnd(std::string_view name, TimePoint end, std::uint64_t async_id);
  void WritePipeline(const PipelineSpan& pipeline, TimePoint node_end, std::uint64_t async_id);
  void WriteThreads(const RunTrace& trace, std::string_view request_id);
  void NamePoolThreads(std::uint32_t last);
  void SortPipelines(const RunTrace& trace);

  TraceContext& context_;
  const std::uint32_t loop_thread_;
  std::string* out_ = nullptr;  ///< While Append runs.
  // Scratch of Append.
  TraceLanes lanes_;
  std::vector<std::uint32_t> open_;            ///< Spans of the lane that is being written.
  std::vector<std::uint32_t> pipeline_order_;  ///< Pipelines by span, then by start.
};

}  // namespace rankd
