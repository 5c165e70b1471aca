// Where CPU work goes: the thread pool, or a fake that runs it at once or when told.
#pragma once

#include <cstdint>

namespace rankd {

/// One piece of CPU work. Embedded in its owner, which keeps it alive until the work has told it
/// that it is done (by posting to a loop from Execute).
class PoolJob {
 public:
  PoolJob() = default;
  PoolJob(const PoolJob&) = delete;
  PoolJob& operator=(const PoolJob&) = delete;
  virtual ~PoolJob() = default;
  /// On a pool thread (the executor's `thread`th, from 0), once. Must not throw. `this` may be gone
  /// as soon as it has posted its end.
  virtual void Execute(std::uint32_t thread) = 0;

  PoolJob* next_queued = nullptr;  ///< The executor's own link.
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// Runs `job.Execute()` later, first in first out. Any thread; no allocation.
  virtual void Submit(PoolJob& job) = 0;
};

}  // namespace rankd
