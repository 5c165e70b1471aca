// Armed timers by due time. Pure: the time comes as an argument. Owned by a loop, loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/clock.h"
#include "engine/io/loop.h"

namespace rankd {

/// A 4-ary heap of timers that know their slot, so that disarming is O(log n) without a search.
class TimerHeap {
 public:
  TimerHeap() = default;
  TimerHeap(const TimerHeap&) = delete;
  TimerHeap& operator=(const TimerHeap&) = delete;
  /// Disarms what is still armed, without calling it.
  ~TimerHeap();

  /// (Re-)arms. A re-armed timer counts as armed last among those with the same due time.
  void Arm(Timer& timer, TimePoint due);
  /// Does nothing when `timer` is not armed here.
  void Disarm(Timer& timer);

  /// Fires every timer that is due at `now` and was armed before this call, by due time, then in
  /// the order of arming. A timer may arm, disarm or destroy any timer, itself included; what is
  /// armed meanwhile fires at the next call at the earliest. Not to be called from a timer.
  void FireDue(TimePoint now);

  /// kNever when nothing is armed.
  TimePoint NextDue() const { return entries_.empty() ? kNever : entries_.front().due; }
  std::size_t size() const { return entries_.size() + firing_left_; }

 private:
  struct Entry {
    TimePoint due;
    std::uint64_t sequence;
    Timer* timer;

    bool Before(const Entry& other) const {
      return due != other.due ? due < other.due : sequence < other.sequence;
    }
  };
  void Place(std::size_t slot, const Entry& entry);
  void SiftUp(std::size_t slot, Entry entry);
  void SiftDown(std::size_t slot, Entry entry);
  void RemoveAt(std::size_t slot);

  std::vector<Entry> entries_;
  std::uint64_t next_sequence_ = 0;

  /// The timers taken out by the FireDue that is running, in order; null once fired or disarmed.
  std::vector<Timer*> firing_;
  std::size_t firing_left_ = 0;
  bool in_fire_ = false;
};

}  // namespace rankd
