// A loop that is turned by hand, with a clock that moves only when told.
#pragma once

#include <cstddef>
#include <mutex>

#include "engine/io/loop.h"
#include "engine/io/timer_heap.h"

namespace rankd {

class FakeLoop final : public Loop {
 public:
  /// Starts an hour after the epoch, so that earlier times exist.
  TimePoint Now() const override {
    std::lock_guard lock(mutex_);
    return now_;
  }
  void Arm(Timer& timer, TimePoint due) override { timers_.Arm(timer, due); }
  void Post(LoopTask& task) override {
    std::lock_guard lock(mutex_);
    task.next_posted = nullptr;
    (last_ == nullptr ? first_ : last_->next_posted) = &task;
    last_ = &task;
  }

  /// Runs posted tasks, those posted meanwhile included, and timers that are due, until neither is
  /// left. Time stands still.
  void Turn() {
    do {
      while (LoopTask* task = TakePosted()) task->OnLoop();
      timers_.FireDue(Now());
    } while (has_posted() || timers_.NextDue() <= Now());
  }

  /// Runs what has been posted until now, not what is posted meanwhile.
  void TurnOnce() {
    LoopTask* last = nullptr;
    {
      std::lock_guard lock(mutex_);
      last = last_;
    }
    while (last != nullptr) {
      LoopTask* const task = TakePosted();
      const bool was_last = task == last;
      task->OnLoop();
      if (was_last) return;
    }
  }

  /// Turns, then moves the clock by `step`, stopping at each timer on the way and turning there.
  void Advance(Duration step) {
    const TimePoint end = Now() + step;
    Turn();
    while (timers_.NextDue() <= end) {
      SetNow(timers_.NextDue());
      Turn();
    }
    SetNow(end);
  }

  /// Turns, then moves the clock to the next timer and turns; false when none is armed.
  bool AdvanceToNextTimer() {
    Turn();
    if (timers_.NextDue() == kNever) return false;
    SetNow(timers_.NextDue());
    Turn();
    return true;
  }

  bool has_posted() const {
    std::lock_guard lock(mutex_);
    return first_ != nullptr;
  }
  std::size_t armed_timers() const { return timers_.size(); }
  TimePoint next_due() const { return timers_.NextDue(); }

 private:
  LoopTask* TakePosted() {
    std::lock_guard lock(mutex_);
    LoopTask* task = first_;
    if (task != nullptr) {
      first_ = task->next_posted;
      if (first_ == nullptr) last_ = nullptr;
    }
    return task;
  }
  void SetNow(TimePoint now) {
    std::lock_guard lock(mutex_);
    now_ = now;
  }

  TimerHeap timers_;
  mutable std::mutex mutex_;  ///< Of the following: Post and Now are for any thread.
  LoopTask* first_ = nullptr;
  LoopTask* last_ = nullptr;
  TimePoint now_ = TimePoint(std::chrono::hours(1));
};

}  // namespace rankd
