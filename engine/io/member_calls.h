// Timers and tasks that call a member function of their owner: for classes with several of them.
#pragma once

#include "engine/io/loop.h"

namespace rankd {

/// `MemberTimer<Client, &Client::OnRetry> retry_{*this};`. The owner outlives it.
template <typename Owner, void (Owner::*kOnTimer)()>
class MemberTimer final : public Timer {
 public:
  explicit MemberTimer(Owner& owner) : owner_(&owner) {}
  void OnTimer() override { (owner_->*kOnTimer)(); }

 private:
  Owner* owner_;
};

/// `MemberTask<Run, &Run::OnReap> reaper_{*this};`. The owner outlives it, or the loop drops it.
template <typename Owner, void (Owner::*kOnLoop)()>
class MemberTask final : public LoopTask {
 public:
  explicit MemberTask(Owner& owner) : owner_(&owner) {}
  void OnLoop() override { (owner_->*kOnLoop)(); }

 private:
  Owner* owner_;
};

}  // namespace rankd
