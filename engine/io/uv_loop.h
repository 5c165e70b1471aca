// The real loop: libuv for sockets and waiting, a TimerHeap for time, a lock-free stack for posts.
// Owned by whoever runs the thread. Everything but Post, Stop and Now is for the loop thread.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/io/loop.h"

struct uv_loop_s;

namespace rankd {

/// Something to be told once, when a turn's work is done and the loop is about to wait: where
/// writes of one turn are gathered. Embedded in its owner; leaves the list when destroyed. Loop
/// thread only.
class TurnEnd {
 public:
  TurnEnd() = default;
  TurnEnd(const TurnEnd&) = delete;
  TurnEnd& operator=(const TurnEnd&) = delete;
  virtual ~TurnEnd() { Leave(); }
  /// Off the list already; may ask again, or destroy this or any other.
  virtual void OnTurnEnd() = 0;

  bool waiting() const { return link_ != nullptr; }
  void Leave();

 private:
  friend class UvLoop;
  TurnEnd** link_ = nullptr;  ///< What points at this one.
  TurnEnd* next_ = nullptr;
};

/// One turn: posted tasks, due timers, turn ends; then a wait for sockets, posts or the next timer.
/// Between tasks that take long it looks at timers and sockets too.
///
/// Timers never fire early, and on an idle machine at most a little more than 1 ms late.
class UvLoop final : public Loop {
 public:
  /// Throws std::system_error, as std::thread does, where the system refuses descriptors.
  UvLoop();
  /// Closes everything. Loop thread (or, when Run never ran or has returned, any one thread);
  /// threads that post must have been joined. Timers still armed are disarmed, tasks still posted
  /// are dropped, sockets closed by their owners are waited for; a socket that is still open is a
  /// bug.
  ~UvLoop() override;

  TimePoint Now() const override;
  /// Loop thread.
  void Arm(Timer& timer, TimePoint due) override;
  /// Any thread. On the loop thread it costs no system call, and the task runs before the loop
  /// waits again. A task posted by a task runs in the same turn while that ends within a few
  /// rounds.
  void Post(LoopTask& task) override;

  /// Runs turns on the calling thread until Stop. May be called again after it has returned.
  void Run();
  /// Ends Run after the turn it is in, or before its first one. Any thread.
  void Stop();

  /// Tells `hook` at the end of this turn; nothing if it is waiting already. Loop thread.
  void AtTurnEnd(TurnEnd& hook);

  /// Frees `object` when the loop goes: for owners of tasks that go while one of theirs is posted.
  /// Loop thread.
  void Keep(std::shared_ptr<void> object);

  /// For sockets. Loop thread.
  uv_loop_s* uv();

 private:
  struct State;
  void FireDue();
  void RunPosted();
  /// Between tasks, of which none may have taken long, but all together.
  void LookUp();
  void RunTurnEnds();
  /// `mode`: a uv_run_mode.
  void Poll(int mode);
  void Wait();

  std::unique_ptr<State> state_;
};

}  // namespace rankd
