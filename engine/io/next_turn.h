// Lets a coroutine with much to do give the loop a turn: timers fire, sockets are read.
#pragma once

#include <coroutine>

#include "engine/io/loop.h"

namespace rankd {

/// `NextTurn turn(loop); co_await turn;` resumes in a later round of the loop, behind what is due.
/// Whoever awaits it looks afterwards whether it has been stopped meanwhile.
class NextTurn final : public LoopTask {
 public:
  explicit NextTurn(Loop& loop) : loop_(loop) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    loop_.Post(*this);
  }
  void await_resume() const noexcept {}

  void OnLoop() override { waiter_.resume(); }

 private:
  Loop& loop_;
  std::coroutine_handle<> waiter_;
};

}  // namespace rankd
