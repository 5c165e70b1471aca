// TraceFile: --trace FILE, the trace-event JSON that Perfetto and chrome://tracing open.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/side_file.h"
#include "cli/trace_lanes.h"
#include "engine/base/error.h"
#include "engine/run/trace.h"

namespace rankd {

/// The events of one run stand together, written when it is over: every span is closed, whatever
/// ended it. A track for the loop and one for each thread of the pool show CPU work. Async spans
/// show requests with their nodes, in these what their bodies ran, and their pipelines. Nodes that
/// ran side by side have ids of their own, because spans of one id must nest: they stand in a span
/// named for their plan with "+1" and so on behind it. Loop thread only.
///
/// The format is the JSON array form of "Trace Event Format" (Chromium project), times in
/// microseconds.
class TraceFile {
 public:
  /// `start`: where the trace's time begins.
  TraceFile(std::unique_ptr<SideFile> file, TimePoint start);

  SideFile& file() { return *file_; }
  /// What SideFile::Options::closing has to be.
  static constexpr std::string_view kClosing = "\n]\n";

  /// `failure`: how the run ended, nullopt for well. `request_id`: JSON text.
  void Write(const RunTrace& trace, std::string_view request_id, std::optional<ErrorCode> failure);

 private:
  class Event;
  void WriteRequest(const RunTrace& trace, std::string_view request_id,
                    std::optional<ErrorCode> failure);
  void WriteLane(const RunTrace& trace, std::span<const TracePlace> places, std::uint64_t async_id);
  void WriteBegin(const RunTrace& trace, std::uint32_t span, std::uint64_t async_id);
  void WriteEnd(std::string_view name, TimePoint end, std::uint64_t async_id);
  void WritePipeline(const PipelineSpan& pipeline, TimePoint node_end, std::uint64_t async_id);
  void WriteThreads(const RunTrace& trace, std::string_view request_id);
  void NameThread(std::uint32_t thread, std::string_view name);
  void SortPipelines(const RunTrace& trace);

  std::unique_ptr<SideFile> file_;
  TimePoint start_;
  std::uint64_t requests_ = 0;
  std::uint32_t pool_threads_named_ = 0;
  // Scratch of Write.
  TraceLanes lanes_;
  std::vector<std::uint32_t> open_;            ///< Spans of the lane that is being written.
  std::vector<std::uint32_t> pipeline_order_;  ///< Pipelines by span, then by start.
};

}  // namespace rankd
