// Executors without threads: one runs a job at once, one when told.
#pragma once

#include <cstddef>
#include <deque>

#include "engine/io/executor.h"

namespace rankd {

/// Runs each job within Submit.
class InlineExecutor final : public Executor {
 public:
  void Submit(PoolJob& job) override {
    ++submitted_;
    job.Execute(0);
  }
  std::size_t submitted() const { return submitted_; }

 private:
  std::size_t submitted_ = 0;
};

/// Keeps jobs until they are stepped through, first in first out.
class StepExecutor final : public Executor {
 public:
  void Submit(PoolJob& job) override {
    ++submitted_;
    jobs_.push_back(&job);
  }
  /// Runs the oldest job; false when there is none.
  bool RunOne() {
    if (jobs_.empty()) return false;
    PoolJob* job = jobs_.front();
    jobs_.pop_front();
    job->Execute(0);
    return true;
  }
  void RunAll() {
    while (RunOne()) {
    }
  }
  std::size_t queued() const { return jobs_.size(); }
  std::size_t submitted() const { return submitted_; }

 private:
  std::deque<PoolJob*> jobs_;
  std::size_t submitted_ = 0;
};

}  // namespace rankd
