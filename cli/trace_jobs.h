// Large traces become text on the pool: a run of a hundred thousand nodes would keep its loop from
// its timers for a good part of a second.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/side_file.h"
#include "cli/trace_writer.h"
#include "engine/base/error.h"
#include "engine/io/executor.h"
#include "engine/io/loop.h"
#include "engine/io/member_calls.h"
#include "engine/run/trace.h"

namespace rankd {

/// Owned by whoever owns the file. Any thread, but for its construction and end.
class TraceJobs {
 public:
  /// Traces of fewer nodes are written where they are: handing them over would cost more.
  static constexpr std::size_t kManyNodes = 256;

  /// `on_progress` is called on `loop` when jobs have ended. All must outlive it, but `executor`,
  /// which must have ended: its jobs refer to this.
  TraceJobs(TraceContext& context, SideFile& file, Executor& executor, Loop& loop,
            std::function<void()> on_progress);

  /// Appends the trace to the file, some time. `request_id`: JSON text.
  void Submit(RunTrace trace, std::string request_id, std::optional<ErrorCode> failure,
              std::uint32_t loop);

  /// So much waits that no more should come.
  bool behind() const { return nodes_.load(std::memory_order_relaxed) > kBehindNodes; }
  bool idle() const { return jobs_.load() == 0; }

 private:
  class Job;
  /// Of some 300 bytes each, or a thousand as text.
  static constexpr std::size_t kBehindNodes = 400'000;

  void OnJobEnd(std::size_t nodes);
  void OnProgress();

  TraceContext& context_;
  SideFile& file_;
  Executor& executor_;
  Loop& loop_;
  const std::function<void()> on_progress_;
  std::atomic<std::size_t> jobs_ = 0;
  std::atomic<std::size_t> nodes_ = 0;  ///< Of all jobs.
  std::atomic<bool> progress_posted_ = false;
  MemberTask<TraceJobs, &TraceJobs::OnProgress> progress_{*this};
};

}  // namespace rankd
