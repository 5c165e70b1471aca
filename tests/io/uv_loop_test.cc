#include "engine/io/uv_loop.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>
#include <uv.h>

#include "engine/io/signal_watcher.h"
#include "engine/io/thread_pool.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

class CallTask final : public LoopTask {
 public:
  CallTask() = default;
  explicit CallTask(std::function<void()> call) : call_(std::move(call)) {}
  void set(std::function<void()> call) { call_ = std::move(call); }
  void OnLoop() override { call_(); }

 private:
  std::function<void()> call_;
};

class CallOnTimer final : public Timer {
 public:
  explicit CallOnTimer(std::function<void()> call) : call_(std::move(call)) {}
  void OnTimer() override { call_(); }

 private:
  std::function<void()> call_;
};

class CallAtEnd final : public TurnEnd {
 public:
  CallAtEnd() = default;
  explicit CallAtEnd(std::function<void()> call) : call_(std::move(call)) {}
  void set(std::function<void()> call) { call_ = std::move(call); }
  void OnTurnEnd() override { call_(); }

 private:
  std::function<void()> call_;
};

TEST_CASE("a loop that is told to stop before it runs does not wait") {
  UvLoop loop;
  loop.Stop();
  loop.Run();
}

TEST_CASE("what a socket has to tell comes before the timers that became due meanwhile") {
  UvLoop loop;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::vector<std::string> told;
  struct Reader {
    uv_poll_t handle;
    std::vector<std::string>* told;
  } reader{{}, &told};
  REQUIRE(uv_poll_init(loop.uv(), &reader.handle, ends[0]) == 0);
  reader.handle.data = &reader;
  REQUIRE(uv_poll_start(&reader.handle, UV_READABLE, [](uv_poll_t* handle, int, int) {
            static_cast<Reader*>(handle->data)->told->push_back("socket");
            uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
          }) == 0);
  CallOnTimer timer([&] {
    told.push_back("timer");
    loop.Stop();
  });
  CallTask busy([&] {
    const TimePoint due = loop.Now() + milliseconds(2);
    loop.Arm(timer, due);
    CHECK(::write(ends[1], "x", 1) == 1);
    while (loop.Now() <= due) {
    }
  });
  loop.Post(busy);
  loop.Run();
  CHECK(told == std::vector<std::string>{"socket", "timer"});
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a loop that never ran can be destroyed with timers, hooks and tasks left") {
  CallTask task;
  CallOnTimer timer([] { FAIL("fired"); });
  CallAtEnd hook([] { FAIL("told"); });
  {
    UvLoop loop;
    loop.Post(task);
    loop.Arm(timer, loop.Now());
    loop.AtTurnEnd(hook);
  }
  CHECK_FALSE(timer.armed());
  CHECK_FALSE(hook.waiting());
}

TEST_CASE("tasks run in the order of posting, those posted by tasks after them") {
  UvLoop loop;
  std::vector<int> ran;
  CallTask first([&] { ran.push_back(1); });
  CallTask third([&] { ran.push_back(3); });
  CallTask last([&] {
    ran.push_back(4);
    loop.Stop();
  });
  CallTask second([&] {
    ran.push_back(2);
    loop.Post(last);
  });
  loop.Post(first);
  loop.Post(second);
  loop.Post(third);
  loop.Run();
  CHECK(ran == std::vector{1, 2, 3, 4});
}

TEST_CASE("a loop can run again after it was stopped") {
  UvLoop loop;
  int runs = 0;
  CallTask task([&] {
    ++runs;
    loop.Stop();
  });
  loop.Post(task);
  loop.Run();
  loop.Post(task);
  loop.Run();
  CHECK(runs == 2);
}

TEST_CASE("a task that posts itself for ever starves neither timers nor Stop") {
  UvLoop loop;
  CallTask endless;
  endless.set([&] { loop.Post(endless); });
  CallOnTimer timer([&] { loop.Stop(); });
  loop.Post(endless);
  loop.Arm(timer, loop.Now() + milliseconds(5));
  loop.Run();
  CHECK_FALSE(timer.armed());
}

/// Keeps the loop busy for a millisecond.
struct LongTask final : LoopTask {
  void OnLoop() override {
    const TimePoint end = loop->Now() + milliseconds(1);
    while (loop->Now() < end) {
    }
    ++*ran;
  }
  UvLoop* loop = nullptr;
  int* ran = nullptr;
};

/// Twenty of them, posted together.
struct LongTasks {
  explicit LongTasks(UvLoop& loop) : tasks(20) {
    for (LongTask& task : tasks) {
      task.loop = &loop;
      task.ran = &ran;
      loop.Post(task);
    }
  }
  std::vector<LongTask> tasks;
  int ran = 0;
};

TEST_CASE("a timer does not wait for all tasks that were posted together") {
  UvLoop loop;
  LongTasks long_tasks(loop);
  CallOnTimer timer([&] {
    CHECK(long_tasks.ran <= 3);
    loop.Stop();
  });
  loop.Arm(timer, loop.Now() + milliseconds(2));
  loop.Run();
  CHECK(long_tasks.ran == 20);
}

TEST_CASE("nor does a signal") {
  UvLoop loop;
  struct Raise final : LoopTask {
    void OnLoop() override { std::raise(SIGUSR1); }
  } raise;
  loop.Post(raise);
  LongTasks long_tasks(loop);
  int seen_after = -1;
  const SignalWatcher signals(loop, {SIGUSR1}, [&](int) {
    seen_after = long_tasks.ran;
    loop.Stop();
  });
  loop.Run();
  CHECK(seen_after >= 0);
  CHECK(seen_after <= 6);
  CHECK(long_tasks.ran == 20);
}

TEST_CASE("timers never fire early") {
  UvLoop loop;
  std::vector<std::unique_ptr<CallOnTimer>> timers;
  int left = 0;
  int early = 0;
  for (int us = 0; us < 30'000; us += 370) {
    const TimePoint due = loop.Now() + std::chrono::microseconds(us);
    timers.push_back(std::make_unique<CallOnTimer>([&, due] {
      if (loop.Now() < due) ++early;
      if (--left == 0) loop.Stop();
    }));
    loop.Arm(*timers.back(), due);
    ++left;
  }
  loop.Run();
  CHECK(early == 0);
}

TEST_CASE("short waits end, one after the other, also when the wait is over before it begins") {
  UvLoop loop;
  int left = 300;
  std::unique_ptr<CallOnTimer> timer;
  timer = std::make_unique<CallOnTimer>([&] {
    if (--left == 0) {
      loop.Stop();
    } else {
      loop.Arm(*timer, loop.Now() + std::chrono::microseconds(left * 10));
    }
  });
  loop.Arm(*timer, loop.Now());
  loop.Run();
  CHECK(left == 0);
}

TEST_CASE("a timer armed long ahead waits in steps and is right in the end") {
  UvLoop loop;
  const TimePoint due = loop.Now() + milliseconds(350);
  bool early = true;
  CallOnTimer timer([&] {
    early = loop.Now() < due;
    loop.Stop();
  });
  CallOnTimer never([] { FAIL("fired"); });
  loop.Arm(never, loop.Now() + std::chrono::hours(24 * 365 * 100));
  loop.Arm(timer, due);
  loop.Run();
  CHECK_FALSE(early);
}

TEST_CASE("a turn's end comes after the turn's tasks and timers, once") {
  UvLoop loop;
  std::vector<char> order;
  CallAtEnd hook([&] {
    order.push_back('e');
    loop.Stop();
  });
  CallOnTimer timer([&] {
    order.push_back('t');
    loop.AtTurnEnd(hook);
  });
  CallTask second([&] { order.push_back('2'); });
  CallTask first([&] {
    order.push_back('1');
    loop.AtTurnEnd(hook);
    loop.AtTurnEnd(hook);
    loop.Post(second);
  });
  loop.Post(first);
  loop.Arm(timer, loop.Now());
  loop.Run();
  CHECK(order == std::vector{'1', 't', '2', 'e'});
}

TEST_CASE("a hook may ask again, destroy another, or leave") {
  UvLoop loop;
  int told = 0;
  auto other = std::make_unique<CallAtEnd>([] { FAIL("told"); });
  CallAtEnd left([] { FAIL("told"); });
  CallAtEnd hook;
  hook.set([&] {
    other.reset();
    left.Leave();
    if (++told < 20) {
      loop.AtTurnEnd(hook);
    } else {
      loop.Stop();
    }
  });
  CallTask task([&] {
    loop.AtTurnEnd(*other);
    loop.AtTurnEnd(left);
    loop.AtTurnEnd(hook);  // the latest is told first
  });
  loop.Post(task);
  loop.Run();
  CHECK(told == 20);
}

TEST_CASE("tasks from many threads all run, each thread's in its order") {
  UvLoop loop;
  constexpr int kThreads = 4;
  constexpr int kPosts = 5000;
  class Numbered final : public LoopTask {
   public:
    void OnLoop() override {
      if (number != *next) ++*errors;
      ++*next;
      if (--*left == 0) loop->Stop();
    }
    int number = 0;
    int* next = nullptr;
    int* errors = nullptr;
    int* left = nullptr;
    UvLoop* loop = nullptr;
  };
  std::vector<Numbered> tasks(kThreads * kPosts);
  std::vector<int> next(kThreads);
  int errors = 0;
  int left = kThreads * kPosts;
  for (int i = 0; i < kThreads * kPosts; ++i) {
    Numbered& task = tasks[static_cast<std::size_t>(i)];
    task.number = i % kPosts;
    task.next = &next[static_cast<std::size_t>(i / kPosts)];
    task.errors = &errors;
    task.left = &left;
    task.loop = &loop;
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPosts; ++i) loop.Post(tasks[static_cast<std::size_t>(t * kPosts + i)]);
    });
  }
  loop.Run();
  for (std::thread& thread : threads) thread.join();
  CHECK(errors == 0);
  CHECK(left == 0);
}

TEST_CASE("a loop may run on another thread than the one it was made on") {
  UvLoop loop;
  std::atomic<int> ran = 0;
  CallTask task([&] { ++ran; });
  std::thread thread([&] { loop.Run(); });
  loop.Post(task);
  while (ran == 0) std::this_thread::yield();
  loop.Stop();
  thread.join();
  CHECK(ran == 1);
}

/// There and back: the pool's job posts to the loop, the loop submits the next.
class PingPong final : public PoolJob, public LoopTask {
 public:
  PingPong(UvLoop& loop, Executor& pool, int rounds, int* finished)
      : loop_(&loop), pool_(&pool), rounds_(rounds), finished_(finished) {}
  void Execute(std::uint32_t) override { loop_->Post(*this); }
  void OnLoop() override {
    if (--rounds_ > 0) {
      pool_->Submit(*this);
    } else if (++*finished_ == kPlayers) {
      loop_->Stop();
    }
  }
  static constexpr int kPlayers = 3;

 private:
  UvLoop* loop_;
  Executor* pool_;
  int rounds_;
  int* finished_;
};

TEST_CASE("no wake-up is lost between the loop and the pool in 60,000 rounds") {
  UvLoop loop;
  int finished = 0;
  {
    ThreadPool pool(2);
    std::vector<std::unique_ptr<PingPong>> players;
    for (int i = 0; i < PingPong::kPlayers; ++i) {
      players.push_back(std::make_unique<PingPong>(loop, pool, 20'000, &finished));
      pool.Submit(*players.back());
    }
    loop.Run();
  }
  CHECK(finished == PingPong::kPlayers);
}

}  // namespace
}  // namespace rankd
