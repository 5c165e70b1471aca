// A timer that calls a member function of its owner: for classes with several timers.
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

}  // namespace rankd
