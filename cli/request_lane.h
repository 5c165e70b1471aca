// Where the requests of a stream are run: on the stream's own loop, or on one of several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/failure_counts.h"
#include "engine/base/clock.h"

namespace rankd {

/// Told of answers, on the stream's thread.
class LaneListener {
 public:
  /// The answer of the request that was given with `place`: `append` adds its line, and is called
  /// once, at once. From within Handle too.
  virtual void OnAnswer(std::uint64_t place, const std::function<void(std::string&)>& append) = 0;
  /// Something about idle() may have changed.
  virtual void OnLaneProgress() = 0;

 protected:
  ~LaneListener() = default;
};

/// All methods on the stream's thread.
class RequestLane {
 public:
  virtual ~RequestLane() = default;

  /// Parses, runs and answers one request. `text` need not live on.
  virtual void Handle(std::string_view text, std::uint64_t first_line, std::uint64_t place) = 0;
  /// What has been given is to begin.
  virtual void Flush() = 0;
  /// Answers everything as cancelled that has no answer yet.
  virtual void CancelAll() = 0;
  /// Requests without an answer.
  virtual std::size_t outstanding() const = 0;
  /// Every request has been answered, and every run has stopped.
  virtual bool idle() const = 0;
  /// Has runs that will not come back in time written to traces. Nothing is told any more, and
  /// nothing else may be called but failures.
  virtual void Abandon() = 0;
  /// Waits for that until `limit`: where something is stuck, its runs are in no trace.
  virtual void FinishAbandoning(TimePoint limit) = 0;
  /// Of the answers. Once idle or abandoned.
  virtual FailureCounts failures() const = 0;
};

}  // namespace rankd
