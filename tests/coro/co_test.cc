#include "engine/coro/co.h"

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/started.h"

namespace rankd {
namespace {

/// Suspends its waiter until it is fired.
class ManualEvent {
 public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  int await_resume() const { return value_; }

  bool has_waiter() const { return static_cast<bool>(waiter_); }
  void Fire(int value) {
    value_ = value;
    std::exchange(waiter_, {}).resume();
  }

 private:
  std::coroutine_handle<> waiter_;
  int value_ = 0;
};

Co<int> Immediate(int value) { co_return value; }

Co<int> WaitFor(ManualEvent* event) { co_return co_await *event; }

Co<std::int64_t> SumOfImmediate(int count) {
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await Immediate(i);
  co_return sum;
}

Co<std::int64_t> SumOfEvents(ManualEvent* event, int count) {
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await WaitFor(event);
  co_return sum;
}

Co<int> Nested(int depth, ManualEvent* event) {
  if (depth == 0 && event == nullptr) co_return 1;
  if (depth == 0) co_return co_await *event;
  const int below = co_await Nested(depth - 1, event);
  co_return below + 1;
}

TEST_CASE("a coroutine starts when it is awaited, not when it is called") {
  bool started = false;
  const auto set = [](bool* flag) -> Co<int> {
    *flag = true;
    co_return 7;
  };
  {
    Co<int> never = set(&started);
    CHECK(never.valid());
  }
  CHECK_FALSE(started);
  Started<int> run(set(&started));
  CHECK(started);
  CHECK(run.result() == 7);
}

TEST_CASE("a million children that finish at once use no stack") {
  Started<std::int64_t> run(SumOfImmediate(1'000'000));
  REQUIRE(run.done());
  CHECK(run.result() == 499'999'500'000);
}

TEST_CASE("a hundred thousand children that suspend use no stack") {
  ManualEvent event;
  Started<std::int64_t> run(SumOfEvents(&event, 100'000));
  for (int i = 0; i < 100'000; ++i) {
    REQUIRE_FALSE(run.done());
    event.Fire(i);
  }
  CHECK(run.result() == 4'999'950'000);
  CHECK_FALSE(event.has_waiter());
}

TEST_CASE("a value comes up through many levels, at once or later") {
  Started<int> at_once(Nested(60, nullptr));
  CHECK(at_once.result() == 61);
  ManualEvent event;
  Started<int> later(Nested(60, &event));
  REQUIRE_FALSE(later.done());
  event.Fire(1000);
  CHECK(later.result() == 1060);
}

TEST_CASE("children that suspend and children that do not may alternate") {
  ManualEvent event;
  const auto mixed = [](ManualEvent* at) -> Co<int> {
    int sum = 0;
    for (int i = 0; i < 10; ++i) {
      sum += co_await Immediate(1);
      sum += co_await WaitFor(at);
    }
    co_return sum;
  };
  Started<int> run(mixed(&event));
  for (int i = 0; i < 10; ++i) event.Fire(100);
  CHECK(run.result() == 1010);
}

class DestroysItsCo final : public CoCompletion {
 public:
  void OnCoDone() override {
    ++told;
    result = co->TakeResult();
    co.reset();
  }
  std::optional<Co<int>> co;
  int told = 0;
  int result = 0;
};

TEST_CASE("the completion is told once, and may destroy the coroutine") {
  ManualEvent event;
  DestroysItsCo completion;
  completion.co.emplace(WaitFor(&event));
  CHECK_FALSE(completion.co->Start(completion));
  CHECK(completion.told == 0);
  event.Fire(5);
  CHECK(completion.told == 1);
  CHECK(completion.result == 5);
  CHECK_FALSE(completion.co.has_value());
}

TEST_CASE("the completion of a coroutine that finishes in Start is not told") {
  DestroysItsCo completion;
  completion.co.emplace(Immediate(3));
  CHECK(completion.co->Start(completion));
  CHECK(completion.told == 0);
  CHECK(completion.co->TakeResult() == 3);
}

TEST_CASE("what is thrown comes up to where the result is taken, at once or later") {
  const auto fail = [](ManualEvent* event) -> Co<int> {
    if (event != nullptr) co_await *event;
    throw std::runtime_error("thrown");
  };
  const auto pass_on = [](auto inner, ManualEvent* event) -> Co<int> {
    const int value = co_await inner(event);
    co_return value + 1;
  };
  const auto catch_it = [](auto inner, auto innermost, ManualEvent* event) -> Co<std::string> {
    std::string text;
    try {
      static_cast<void>(co_await inner(innermost, event));
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
    co_return text;
  };
  Started<std::string> at_once(catch_it(pass_on, fail, nullptr));
  CHECK(at_once.result() == "thrown");
  ManualEvent event;
  Started<std::string> later(catch_it(pass_on, fail, &event));
  CHECK_FALSE(later.done());
  event.Fire(1);
  CHECK(later.result() == "thrown");

  DestroysItsCo completion;
  completion.co.emplace(pass_on(fail, nullptr));
  CHECK(completion.co->Start(completion));
  CHECK_THROWS_AS(completion.co->TakeResult(), std::runtime_error);
}

TEST_CASE("results may be move-only") {
  const auto make = []() -> Co<std::unique_ptr<std::string>> {
    co_return std::make_unique<std::string>("text");
  };
  const auto pass = [](auto inner) -> Co<std::unique_ptr<std::string>> {
    std::unique_ptr<std::string> text = co_await inner();
    *text += "!";
    co_return text;
  };
  Started<std::unique_ptr<std::string>> run(pass(make));
  CHECK(*run.result() == "text!");
}

TEST_CASE("a moved-from coroutine is empty, and assignment destroys what was there") {
  auto alive = std::make_shared<int>(1);
  const auto hold = [](std::shared_ptr<int> value) -> Co<int> { co_return *value; };
  Co<int> first = hold(alive);
  CHECK(alive.use_count() == 2);
  Co<int> second = std::move(first);
  CHECK_FALSE(first.valid());  // NOLINT(bugprone-use-after-move)
  CHECK(second.valid());
  second = Immediate(2);
  CHECK(alive.use_count() == 1);
  Co<int>& same = second;
  second = std::move(same);
  Started<int> run(std::move(second));
  CHECK(run.result() == 2);
}

}  // namespace
}  // namespace rankd
