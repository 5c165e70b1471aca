#include "engine/io/uv_loop.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>

#include "engine/base/check.h"
#include "engine/io/timer_heap.h"

namespace rankd {
namespace {

/// How often a turn looks again for tasks and turn ends that its own work has added, before it
/// looks at the sockets. A bound, so that a task that posts itself for ever starves nobody.
constexpr int kRoundsPerTurn = 8;

/// So long tasks that were posted together run before the loop looks at its sockets again. Many
/// runs that go on by posting themselves would otherwise each have its turn before a signal is
/// seen.
constexpr Duration kLongestBlind = std::chrono::milliseconds(2);

/// Milliseconds to wait for a timer that is due in `left`. Rounded up: the system waits at least
/// that long, so the loop wakes after the due time. But the kernel may stretch a wait by up to 0.5
/// % (less for processes that are not "nice"), which is too much for a long one: wait for most of
/// it, then for the rest.
std::uint64_t WaitMs(Duration left) {
  if (left <= Duration(0)) return 0;
  const auto ms =
      static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
  constexpr std::uint64_t kPrecise = 100;
  constexpr std::uint64_t kLongest = 1'000'000'000;  // libuv hands an int to the system
  return ms <= kPrecise ? ms : std::min(ms - ms / 64, kLongest);
}

/// How other threads wake the loop. A uv_async_t would do, were it not for its handshake: the loop
/// that a sender has woken waits for that sender to leave uv_async_send, and where it has taken the
/// sender's processor it yields it, to whoever uses its time slice up: 4 ms late for every
/// deadline.
class WakeUp {
 public:
  WakeUp() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "event loop");
  }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  ~WakeUp() { close(fd_); }

  int fd() const { return fd_; }
  /// Any thread.
  void Send() const {
    const std::uint64_t one = 1;
    while (write(fd_, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
  }
  void Receive() const {
    std::uint64_t count = 0;
    while (read(fd_, &count, sizeof(count)) < 0 && errno == EINTR) {
    }
  }

 private:
  int fd_;
};

void OnWake(uv_poll_t* wake, int, int) { static_cast<const WakeUp*>(wake->data)->Receive(); }

/// The wait is over. When that is so before libuv has begun to wait, it must not begin: it would
/// see no timer then, and wait for ever.
void OnUvTimer(uv_timer_t* timer) { uv_stop(timer->loop); }

/// Everything libuv holds pointers to.
struct Handles {
  uv_loop_t loop;
  uv_poll_t wake;
  uv_timer_t wait;
};

}  // namespace

void TurnEnd::Leave() {
  if (link_ == nullptr) return;
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
  link_ = nullptr;
  next_ = nullptr;
}

struct UvLoop::State {
  WakeUp wake_up;
  std::unique_ptr<Handles> handles = std::make_unique<Handles>();
  TimerHeap timers;
  TimePoint polled{};  ///< When sockets were looked at last, or the wait for them began.
  TurnEnd* turn_ends = nullptr;
  std::vector<std::shared_ptr<void>> kept;

  std::atomic<LoopTask*> posted{nullptr};  ///< The latest first.
  std::atomic<bool> stop{false};
  /// True while the loop waits, or is about to, and nobody has woken it yet. A poster pushes and
  /// then reads this, the loop sets this and then looks for posts, both sequentially consistent:
  /// one of the two sees the other.
  std::atomic<bool> may_wait{false};
  std::atomic<std::thread::id> thread{std::this_thread::get_id()};

  void Wake() {
    if (thread.load() == std::this_thread::get_id()) return;  // looks for itself before it waits
    if (may_wait.exchange(false)) wake_up.Send();
  }
};

UvLoop::UvLoop() : state_(std::make_unique<State>()) {
  // Both take descriptors, of which there may be none left.
  const auto check = [](int status) {
    if (status < 0) throw std::system_error(-status, std::generic_category(), "event loop");
  };
  Handles& uv = *state_->handles;
  check(uv_loop_init(&uv.loop));
  const int wake = uv_poll_init(&uv.loop, &uv.wake, state_->wake_up.fd());
  if (wake < 0) uv_loop_close(&uv.loop);
  check(wake);
  uv.wake.data = &state_->wake_up;
  RANKD_CHECK(uv_poll_start(&uv.wake, UV_READABLE, OnWake) == 0);
  RANKD_CHECK(uv_timer_init(&uv.loop, &uv.wait) == 0);
}

UvLoop::~UvLoop() {
  Handles& uv = *state_->handles;
  while (state_->turn_ends != nullptr) state_->turn_ends->Leave();
  uv_close(reinterpret_cast<uv_handle_t*>(&uv.wake), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&uv.wait), nullptr);
  int open = 0;
  uv_walk(
      &uv.loop,
      [](uv_handle_t* handle, void* count) {
        if (uv_is_closing(handle) == 0) ++*static_cast<int*>(count);
      },
      &open);
  RANKD_CHECK(open == 0);
  uv_run(&uv.loop, UV_RUN_DEFAULT);  // until all that is being closed is closed
  RANKD_CHECK(uv_loop_close(&uv.loop) == 0);
}

TimePoint UvLoop::Now() const { return std::chrono::steady_clock::now(); }

void UvLoop::Arm(Timer& timer, TimePoint due) { state_->timers.Arm(timer, due); }

void UvLoop::Post(LoopTask& task) {
  LoopTask* head = state_->posted.load(std::memory_order_relaxed);
  do {
    task.next_posted = head;
  } while (!state_->posted.compare_exchange_weak(head, &task));
  state_->Wake();
}

void UvLoop::Stop() {
  state_->stop.store(true);
  state_->Wake();
}

void UvLoop::AtTurnEnd(TurnEnd& hook) {
  if (hook.waiting()) return;
  hook.next_ = state_->turn_ends;
  if (hook.next_ != nullptr) hook.next_->link_ = &hook.next_;
  hook.link_ = &state_->turn_ends;
  state_->turn_ends = &hook;
}

void UvLoop::Keep(std::shared_ptr<void> object) { state_->kept.push_back(std::move(object)); }

uv_loop_s* UvLoop::uv() { return &state_->handles->loop; }

void UvLoop::Run() {
  state_->thread.store(std::this_thread::get_id());
  while (!state_->stop.load()) {
    RunPosted();
    FireDue();
    for (int round = 0; round < kRoundsPerTurn; ++round) {
      RunPosted();
      RunTurnEnds();
      if (state_->posted.load(std::memory_order_relaxed) == nullptr &&
          state_->turn_ends == nullptr) {
        break;
      }
      if (state_->timers.NextDue() <= Now()) break;  // work that goes on and on must not delay them
    }
    if (!state_->stop.load()) Wait();
  }
  state_->stop.store(false);
}

void UvLoop::FireDue() {
  // What has kept the loop busy past a timer's time may have kept it from sockets as well: what has
  // arrived there is told first, or a timeout would strike a peer that answered in time.
  const TimePoint next = state_->timers.NextDue();
  if (next == kNever || next > Now()) return;
  if (next > state_->polled) Poll(UV_RUN_NOWAIT);
  state_->timers.FireDue(Now());
}

void UvLoop::RunPosted() {
  if (state_->posted.load(std::memory_order_relaxed) == nullptr) return;
  LoopTask* latest = state_->posted.exchange(nullptr);
  LoopTask* first = nullptr;
  while (latest != nullptr) {
    LoopTask* before = latest->next_posted;
    latest->next_posted = first;
    first = latest;
    latest = before;
  }
  while (first != nullptr) {
    LoopTask* task = first;
    first = task->next_posted;  // before the call: the task may post or destroy itself
    task->OnLoop();
    if (first != nullptr) LookUp();
  }
}

void UvLoop::LookUp() {
  const TimePoint now = Now();
  if (now - state_->polled > kLongestBlind) Poll(UV_RUN_NOWAIT);
  if (state_->timers.NextDue() <= now) FireDue();
}

void UvLoop::RunTurnEnds() {
  // Off the loop's list first, so that a hook that asks again waits for the next round.
  TurnEnd* hooks = state_->turn_ends;
  state_->turn_ends = nullptr;
  if (hooks != nullptr) hooks->link_ = &hooks;
  while (hooks != nullptr) {
    TurnEnd* hook = hooks;
    hook->Leave();
    hook->OnTurnEnd();
  }
}

void UvLoop::Wait() {
  Handles& uv = *state_->handles;
  bool now = false;
  if (const TimePoint next = state_->timers.NextDue(); next == kNever) {
    uv_timer_stop(&uv.wait);
  } else {
    // libuv counts from its cached time; with a fresh one its wait is ours.
    uv_update_time(&uv.loop);
    const std::uint64_t ms = WaitMs(next - Now());
    now = ms == 0;
    uv_timer_start(&uv.wait, OnUvTimer, ms, 0);
  }
  state_->may_wait.store(true);
  now = now || state_->posted.load() != nullptr || state_->turn_ends != nullptr ||
        state_->stop.load();
  Poll(now ? UV_RUN_NOWAIT : UV_RUN_ONCE);
  state_->may_wait.store(false);
}

void UvLoop::Poll(int mode) {
  state_->polled = Now();
  uv_run(&state_->handles->loop, static_cast<uv_run_mode>(mode));
}

}  // namespace rankd
