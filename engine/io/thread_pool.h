// The real executor: a fixed number of threads and one queue, first in first out.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/io/executor.h"

namespace rankd {

/// How many processors this process may run on: taskset and cpusets can give it fewer than there
/// are.
std::size_t AvailableProcessors();

/// Threads are made when work comes and none is free, up to the number given, so that a process
/// that never offloads never starts one.
///
/// Any thread, apart from the destructor. Loops that jobs post to must outlive the pool.
class ThreadPool final : public Executor {
 public:
  /// At least one thread, whatever `threads` says.
  explicit ThreadPool(std::size_t threads);
  /// Runs what is queued, so that nobody waits for ever, and joins. Nothing may be submitted from
  /// outside meanwhile; jobs may still submit.
  ~ThreadPool() override;

  /// Where the system has no thread for the pool, not even one, the caller's does the work.
  void Submit(PoolJob& job) override;

  std::size_t thread_limit() const { return thread_limit_; }
  /// Threads made so far.
  std::size_t threads_started() const;

 private:
  void Work(std::uint32_t thread);
  /// False where the system refuses one. Under mutex_.
  bool AddThread();

  const std::size_t thread_limit_;

  mutable std::mutex mutex_;
  std::condition_variable work_or_close_;
  // All of the following under mutex_.
  PoolJob* first_ = nullptr;
  PoolJob* last_ = nullptr;
  std::size_t queued_ = 0;
  std::size_t idle_ = 0;  ///< Threads waiting for work.
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace rankd
