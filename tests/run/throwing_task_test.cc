// What a coroutine throws is an error of its node, as with CPU tasks.
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/run/run.h"
#include "tests/run/graph_fixture.h"
#include "tests/run/run_bench.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_loop.h"

namespace rankd {
namespace {

enum class Throws { kMemory, kOther };

/// Throws from within a coroutine that it awaits, at once or after a millisecond.
class ThrowingTask final : public AsyncTask {
 public:
  ThrowingTask(Throws what, Duration delay) : what_(what), delay_(delay) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    const int rows = co_await Count(&context, delay_, what_);
    co_return RowSet(Column::Make(Column::Ints{rows}));
  }

 private:
  static Co<int> Count(const AsyncContext* context, Duration delay, Throws what) {
    if (delay > Duration::zero()) {
      DelayAwaiter wait(*context->loop, *context->stop_source, delay);
      const bool fired = co_await wait;
      if (!fired) co_return 0;
    }
    if (what == Throws::kMemory) throw std::bad_alloc();
    throw std::runtime_error("odd");
  }

  Throws what_;
  Duration delay_;
};

TEST_CASE("what a coroutine throws fails its node, at once or later, and the run goes on") {
  RunBench bench;
  int answers = 0;
  for (const Throws what : {Throws::kMemory, Throws::kOther}) {
    for (const Duration delay : {Duration::zero(), Duration(std::chrono::milliseconds(1))}) {
      std::vector<std::unique_ptr<const Task>> tasks;
      tasks.push_back(std::make_unique<ThrowingTask>(what, delay));
      tasks.push_back(std::make_unique<FakeAsyncTask>(std::chrono::seconds(1), std::nullopt));
      bench.run.Start(bench.Spec(MakeGraph({{}, {}}, std::move(tasks))));
      bench.loop.Advance(std::chrono::milliseconds(1));
      CHECK(bench.listener.answers == ++answers);
      CHECK(bench.listener.idles == answers);
      REQUIRE(bench.listener.error);
      CHECK(bench.listener.error->node == "n0");
      CHECK(bench.listener.error->code ==
            (what == Throws::kMemory ? ErrorCode::kLimitExceeded : ErrorCode::kInternal));
      CHECK(bench.listener.error->message ==
            (what == Throws::kMemory ? "out of memory" : "exception: odd"));
    }
  }
}

/// Has no memory for an answer, or for what comes after it.
class NoMemoryListener final : public RunListener {
 public:
  explicit NoMemoryListener(bool for_answer) : for_answer_(for_answer) {}
  void OnAnswer(Run&, Result<std::span<const RowSet>>) override {
    if (for_answer_) throw std::bad_alloc();
  }
  void OnIdle(Run&) override {
    if (!for_answer_) throw std::bad_alloc();
  }

 private:
  bool for_answer_;
};

TEST_CASE("what runs out of memory behind a coroutine's end leaves the loop as an exception") {
  struct Broken {
    explicit Broken(bool for_answer) : listener(for_answer) {}
    FakeLoop loop;
    StepExecutor executor;
    NoMemoryListener listener;
    RunServices services{&loop, &executor, {}};
    Run run{services, listener};
  };
  // Of no use afterwards, not even to be destroyed: the process is to end. Plain pointers of
  // static storage are what still reaches them when leaks are looked for.
  static Broken* broken[2];
  for (const bool for_answer : {true, false}) {
    Broken*& one = broken[for_answer ? 0 : 1];
    one = new Broken(for_answer);
    RunSpec spec;
    spec.graph = MakeGraph(
        {{}}, List(std::make_unique<FakeAsyncTask>(std::chrono::milliseconds(1), std::nullopt)));
    one->run.Start(std::move(spec));
    CHECK_THROWS_AS(one->loop.Advance(std::chrono::milliseconds(1)), std::bad_alloc);
  }
}

}  // namespace
}  // namespace rankd
