#include "engine/io/timer_heap.h"

#include <algorithm>

#include "engine/base/check.h"

namespace rankd {
namespace {

constexpr std::size_t kArity = 4;

}  // namespace

Timer::~Timer() { Disarm(); }

void Timer::Disarm() {
  if (heap_ != nullptr) heap_->Disarm(*this);
}

TimerHeap::~TimerHeap() {
  for (const Entry& entry : entries_) entry.timer->heap_ = nullptr;
  for (Timer* timer : firing_) {
    if (timer != nullptr) timer->heap_ = nullptr;
  }
}

void TimerHeap::Arm(Timer& timer, TimePoint due) {
  timer.Disarm();
  const Entry entry{due, next_sequence_++, &timer};
  entries_.push_back(entry);  // before the timer says so: there may be no memory for it
  timer.heap_ = this;
  timer.due_ = due;
  timer.firing_ = false;
  SiftUp(entries_.size() - 1, entry);
}

void TimerHeap::Disarm(Timer& timer) {
  if (timer.heap_ != this) return;
  timer.heap_ = nullptr;
  if (timer.firing_) {
    firing_[timer.slot_] = nullptr;
    --firing_left_;
  } else {
    RemoveAt(timer.slot_);
  }
}

void TimerHeap::FireDue(TimePoint now) {
  if (NextDue() > now || entries_.empty()) return;
  RANKD_CHECK(!in_fire_);
  in_fire_ = true;
  // All of them leave the heap first: what a timer arms is then never mistaken for one of them.
  while (!entries_.empty() && entries_.front().due <= now) {
    Timer* timer = entries_.front().timer;
    RemoveAt(0);
    timer->firing_ = true;
    timer->slot_ = firing_.size();
    firing_.push_back(timer);
  }
  firing_left_ = firing_.size();
  for (std::size_t i = 0; i < firing_.size(); ++i) {
    Timer* timer = firing_[i];
    if (timer == nullptr) continue;  // disarmed or destroyed by one before it
    firing_[i] = nullptr;
    --firing_left_;
    timer->heap_ = nullptr;
    timer->OnTimer();
  }
  firing_.clear();
  in_fire_ = false;
}

void TimerHeap::Place(std::size_t slot, const Entry& entry) {
  entries_[slot] = entry;
  entry.timer->slot_ = slot;
}

void TimerHeap::SiftUp(std::size_t slot, Entry entry) {
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / kArity;
    if (!entry.Before(entries_[parent])) break;
    Place(slot, entries_[parent]);
    slot = parent;
  }
  Place(slot, entry);
}

void TimerHeap::SiftDown(std::size_t slot, Entry entry) {
  for (;;) {
    const std::size_t first = slot * kArity + 1;
    if (first >= entries_.size()) break;
    const std::size_t end = std::min(first + kArity, entries_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (entries_[child].Before(entries_[least])) least = child;
    }
    if (!entries_[least].Before(entry)) break;
    Place(slot, entries_[least]);
    slot = least;
  }
  Place(slot, entry);
}

void TimerHeap::RemoveAt(std::size_t slot) {
  const Entry last = entries_.back();
  entries_.pop_back();
  if (slot == entries_.size()) return;
  const bool up = slot > 0 && last.Before(entries_[(slot - 1) / kArity]);
  if (up) {
    SiftUp(slot, last);
  } else {
    SiftDown(slot, last);
  }
}

}  // namespace rankd
