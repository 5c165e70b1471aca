#include "engine/io/timer_heap.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/fake_loop.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

TimePoint At(int ms) { return TimePoint(milliseconds(ms)); }

class CallTimer final : public Timer {
 public:
  CallTimer() = default;
  explicit CallTimer(std::function<void()> call) : call_(std::move(call)) {}
  void set(std::function<void()> call) { call_ = std::move(call); }
  void OnTimer() override {
    const std::function<void()> call = call_;  // the call may destroy this
    call();
  }

 private:
  std::function<void()> call_;
};

/// Timers that note their number when they fire.
struct Recorder {
  explicit Recorder(int count) {
    for (int i = 0; i < count; ++i) {
      timers.push_back(std::make_unique<CallTimer>([this, i] { fired.push_back(i); }));
    }
  }
  CallTimer& operator[](int i) { return *timers[static_cast<std::size_t>(i)]; }
  std::vector<std::unique_ptr<CallTimer>> timers;
  std::vector<int> fired;
};

TEST_CASE("timers fire by due time, and in the order of arming where it is the same") {
  TimerHeap heap;
  Recorder timers(6);
  heap.Arm(timers[0], At(30));
  heap.Arm(timers[1], At(10));
  heap.Arm(timers[2], At(20));
  heap.Arm(timers[3], At(10));
  heap.Arm(timers[4], At(10));
  heap.Arm(timers[5], At(40));
  CHECK(heap.NextDue() == At(10));
  heap.FireDue(At(9));
  CHECK(timers.fired.empty());
  heap.FireDue(At(30));
  CHECK(timers.fired == std::vector{1, 3, 4, 2, 0});
  CHECK(heap.NextDue() == At(40));
  CHECK(heap.size() == 1);
}

TEST_CASE("an armed timer knows its due time, a fired one is disarmed") {
  TimerHeap heap;
  CallTimer timer;
  timer.set([&] { CHECK_FALSE(timer.armed()); });
  CHECK_FALSE(timer.armed());
  heap.Arm(timer, At(5));
  CHECK(timer.armed());
  CHECK(timer.due() == At(5));
  heap.FireDue(At(5));
  CHECK_FALSE(timer.armed());
  CHECK(heap.NextDue() == kNever);
  timer.Disarm();  // nothing
}

TEST_CASE("arming again replaces the due time and the place among equals") {
  TimerHeap heap;
  Recorder timers(3);
  heap.Arm(timers[0], At(10));
  heap.Arm(timers[1], At(10));
  heap.Arm(timers[2], At(50));
  heap.Arm(timers[0], At(10));
  heap.Arm(timers[2], At(1));
  heap.FireDue(At(10));
  CHECK(timers.fired == std::vector{2, 1, 0});
  CHECK(heap.size() == 0);
}

TEST_CASE("what a timer arms waits for the next call, even when it is due") {
  TimerHeap heap;
  int fired = 0;
  CallTimer timer;
  CallTimer other([&] { fired += 100; });
  timer.set([&] {
    ++fired;
    heap.Arm(timer, At(1));
    heap.Arm(other, At(0));
  });
  heap.Arm(timer, At(1));
  heap.FireDue(At(10));
  CHECK(fired == 1);
  heap.FireDue(At(10));
  CHECK(fired == 102);
}

TEST_CASE("a timer may disarm, re-arm or destroy others that are due with it") {
  TimerHeap heap;
  Recorder timers(4);
  auto victim = std::make_unique<CallTimer>([&] { timers.fired.push_back(99); });
  CallTimer first([&] {
    CHECK(timers[0].armed());
    timers[0].Disarm();
    CHECK_FALSE(timers[0].armed());
    heap.Arm(timers[1], At(20));
    victim.reset();
  });
  heap.Arm(first, At(1));
  heap.Arm(timers[0], At(1));
  heap.Arm(timers[1], At(1));
  heap.Arm(*victim, At(1));
  heap.Arm(timers[2], At(1));
  heap.FireDue(At(5));
  CHECK(timers.fired == std::vector{2});
  CHECK(heap.size() == 1);
  heap.FireDue(At(20));
  CHECK(timers.fired == std::vector{2, 1});
}

TEST_CASE("a timer may destroy itself") {
  TimerHeap heap;
  int fired = 0;
  auto timer = std::make_unique<CallTimer>();
  timer->set([&] {
    timer.reset();
    ++fired;
  });
  heap.Arm(*timer, At(1));
  heap.FireDue(At(1));
  CHECK(fired == 1);
  CHECK(heap.size() == 0);
}

TEST_CASE("timers may outlive their heap") {
  CallTimer timer([] {});
  {
    TimerHeap heap;
    heap.Arm(timer, At(1));
  }
  CHECK_FALSE(timer.armed());
}

TEST_CASE("a timer may move from one heap to another") {
  TimerHeap first;
  TimerHeap second;
  int fired = 0;
  CallTimer timer([&] { ++fired; });
  first.Arm(timer, At(1));
  second.Arm(timer, At(2));
  CHECK(first.size() == 0);
  first.FireDue(At(5));
  CHECK(fired == 0);
  second.FireDue(At(5));
  CHECK(fired == 1);
}

TEST_CASE("kNever never fires") {
  TimerHeap heap;
  CallTimer timer([] { FAIL("fired"); });
  heap.Arm(timer, kNever);
  heap.FireDue(At(1'000'000));
  CHECK(heap.NextDue() == kNever);
}

TEST_CASE("random arming and disarming agrees with a sorted list") {
  std::mt19937 random(20240607);
  TimerHeap heap;
  constexpr int kTimers = 200;
  Recorder timers(kTimers);
  struct Armed {
    int due;
    int order;
    int timer;
    auto operator<=>(const Armed&) const = default;
  };
  std::vector<Armed> expected;
  const auto forget = [&](int timer) {
    std::erase_if(expected, [&](const Armed& armed) { return armed.timer == timer; });
  };
  int now = 0;
  for (int step = 0; step < 20'000; ++step) {
    const int timer = std::uniform_int_distribution(0, kTimers - 1)(random);
    switch (std::uniform_int_distribution(0, 9)(random)) {
      case 0: {
        now += 20;
        heap.FireDue(At(now));
        std::sort(expected.begin(), expected.end());
        std::vector<int> due;
        while (!expected.empty() && expected.front().due <= now) {
          due.push_back(expected.front().timer);
          expected.erase(expected.begin());
        }
        REQUIRE(timers.fired == due);
        timers.fired.clear();
        break;
      }
      case 1:
      case 2:
      case 3:
        timers[timer].Disarm();
        forget(timer);
        break;
      default: {
        const int due = now + std::uniform_int_distribution(0, 100)(random);
        heap.Arm(timers[timer], At(due));
        forget(timer);
        expected.push_back({due, step, timer});
      }
    }
    REQUIRE(heap.size() == expected.size());
  }
}

TEST_CASE("the fake loop stops at each timer on the way") {
  FakeLoop loop;
  const TimePoint start = loop.Now();
  std::vector<Duration> fired;
  CallTimer again;
  CallTimer once([&] { fired.push_back(loop.Now() - start); });
  again.set([&] {
    fired.push_back(loop.Now() - start);
    if (fired.size() < 4) loop.Arm(again, loop.Now() + milliseconds(10));
  });
  loop.Arm(again, start + milliseconds(10));
  loop.Arm(once, start + milliseconds(15));
  loop.Advance(milliseconds(100));
  CHECK(fired == std::vector<Duration>{milliseconds(10), milliseconds(15), milliseconds(20),
                                       milliseconds(30)});
  CHECK(loop.Now() == start + milliseconds(100));
  CHECK_FALSE(loop.AdvanceToNextTimer());
}

}  // namespace
}  // namespace rankd
