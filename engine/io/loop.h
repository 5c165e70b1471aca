// The loop a run lives on: time, timers, and a way in for other threads. UvLoop is the real one;
// tests turn a FakeLoop by hand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/clock.h"

namespace rankd {

class TimerHeap;

/// A one-shot timer; embedded in its owner. Disarms itself when destroyed. Loop thread only.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer();

  /// Called once per arming, disarmed already; may arm itself again or destroy itself.
  virtual void OnTimer() = 0;

  bool armed() const { return heap_ != nullptr; }
  TimePoint due() const { return due_; }
  void Disarm();

 private:
  friend class TimerHeap;
  TimerHeap* heap_ = nullptr;
  std::size_t slot_ = 0;  ///< In the heap, or in its list of timers about to fire.
  bool firing_ = false;   ///< Which of the two.
  TimePoint due_ = kNever;
};

/// Work handed to the loop from another thread, or deferred to a later turn. Embedded in its owner,
/// which must keep it alive until OnLoop has been called.
class LoopTask {
 public:
  LoopTask() = default;
  LoopTask(const LoopTask&) = delete;
  LoopTask& operator=(const LoopTask&) = delete;
  virtual ~LoopTask() = default;
  /// On the loop thread, once per Post; may destroy itself.
  virtual void OnLoop() = 0;

  LoopTask* next_posted = nullptr;  ///< The loop's own link.
};

class Loop : public Clock {
 public:
  /// (Re-)arms; fires at the first turn at or after `due`, never before. Loop thread.
  virtual void Arm(Timer& timer, TimePoint due) = 0;
  /// Runs `task.OnLoop()` on the loop thread, in the order of posting. Any thread; no allocation.
  virtual void Post(LoopTask& task) = 0;
};

}  // namespace rankd
