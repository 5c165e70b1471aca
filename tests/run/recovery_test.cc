// retry and on_error, on a loop that is turned by hand.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "tests/run/graph_fixture.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_loop.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

/// Fails `failures` times, then gives the sum of its inputs' ids plus one; waits `delay` each time.
class FlakyTask final : public AsyncTask {
 public:
  FlakyTask(int failures, Duration delay, ErrorCode code, int* executions)
      : failures_(failures), delay_(delay), code_(code), executions_(executions) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    const int execution = ++*executions_;
    if (delay_ > Duration::zero()) {
      DelayAwaiter delay(*context.loop, *context.stop_source, delay_);
      const bool fired = co_await delay;
      if (!fired) co_return Fail(ErrorCode::kCancelled, "stopped");
    }
    if (execution <= failures_) co_return Fail(code_, "flaky");
    co_return SumPlusOne(context.inputs);
  }

 private:
  int failures_;
  Duration delay_;
  ErrorCode code_;
  int* executions_;
};

RetryPolicy Policy(std::int64_t attempts, int backoff_ms = 10) {
  RetryPolicy policy;
  policy.max_attempts = attempts;
  policy.backoff = milliseconds(backoff_ms);
  policy.jitter = 0;
  policy.on.set(static_cast<std::size_t>(ErrorCode::kTaskFailed));
  policy.on.set(static_cast<std::size_t>(ErrorCode::kNodeTimeout));
  return policy;
}

struct RecoveryBench {
  FakeLoop loop;
  StepExecutor executor;
  RecordingListener listener;
  RunServices services{&loop, &executor, {}};
  Run run{services, listener};
  int executions = 0;
  TimePoint start = loop.Now();

  /// A source, and behind it one flaky node, which is node 1.
  std::shared_ptr<Graph> Flaky(int failures, Duration delay = Duration::zero(),
                               ErrorCode code = ErrorCode::kTaskFailed) {
    std::vector<std::unique_ptr<const Task>> tasks;
    tasks.push_back(std::make_unique<FakeCpuTask>(
        [](const NodeContext& context) { return SumPlusOne(context.inputs); }));
    tasks.push_back(std::make_unique<FlakyTask>(failures, delay, code, &executions));
    return MakeGraph({{}, {0}}, std::move(tasks));
  }
  /// The same with CPU work.
  std::shared_ptr<Graph> FlakyCpu(int failures, Placement placement) {
    std::vector<std::unique_ptr<const Task>> tasks;
    tasks.push_back(std::make_unique<FakeCpuTask>(
        [](const NodeContext& context) { return SumPlusOne(context.inputs); }));
    tasks.push_back(std::make_unique<FakeCpuTask>(
        [this, failures](const NodeContext& context) -> Result<RowSet> {
          if (++executions <= failures) return Fail(ErrorCode::kTaskFailed, "flaky");
          return SumPlusOne(context.inputs);
        },
        placement));
    return MakeGraph({{}, {0}}, std::move(tasks));
  }
  void Start(const std::shared_ptr<Graph>& graph,
             std::optional<milliseconds> deadline = std::nullopt) {
    graph->layout = MakeRunLayout(*graph);  // policies may have been set since it was made
    RunSpec spec;
    spec.graph = graph;
    spec.deadline = deadline;
    spec.trace = true;
    run.Start(std::move(spec));
  }
  void Finish() {
    while (loop.AdvanceToNextTimer()) {
    }
  }
  Duration elapsed() const { return loop.Now() - start; }
};

TEST_CASE("a node is tried again after each pause until it succeeds") {
  RecoveryBench bench;
  const auto graph = bench.Flaky(2);
  graph->nodes[1].retry = Policy(3);
  bench.Start(graph);
  CHECK(bench.listener.answers == 0);
  bench.Finish();
  CHECK(bench.executions == 3);
  CHECK(bench.elapsed() == milliseconds(10 + 20));
  CHECK(bench.listener.ids == std::vector<std::int64_t>{2});
  CHECK(bench.run.trace().nodes[1].attempts == 3);
  CHECK(bench.listener.idles == 1);
}

TEST_CASE("the attempts are counted with the first, and the last failure stands") {
  RecoveryBench bench;
  const auto graph = bench.Flaky(100);
  graph->nodes[1].retry = Policy(3);
  bench.Start(graph);
  bench.Finish();
  CHECK(bench.executions == 3);
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kTaskFailed);
  CHECK(bench.listener.error->node == "n1");
}

TEST_CASE("a failure of another code is not tried again") {
  RecoveryBench bench;
  const auto graph = bench.Flaky(1, Duration::zero(), ErrorCode::kBadData);
  graph->nodes[1].retry = Policy(3);
  bench.Start(graph);
  CHECK(bench.executions == 1);
  REQUIRE(bench.listener.error);
}

TEST_CASE("CPU work is tried again, inline and on the pool") {
  for (const Placement placement : {Placement::kInline, Placement::kPool}) {
    RecoveryBench bench;
    const auto graph = bench.FlakyCpu(2, placement);
    graph->nodes[1].retry = Policy(5, 0);
    bench.Start(graph);
    for (int i = 0; i < 10; ++i) {
      bench.executor.RunAll();
      bench.loop.Turn();
    }
    CHECK(bench.executions == 3);
    CHECK(bench.listener.ids == std::vector<std::int64_t>{2});
    CHECK(bench.executor.submitted() == (placement == Placement::kPool ? 3 : 0));
  }
}

TEST_CASE("a timeout is per attempt, and the next one does not wait for the one that is late") {
  RecoveryBench bench;
  const auto graph = bench.Flaky(0, milliseconds(500));
  graph->nodes[1].retry = Policy(3);
  graph->nodes[1].timeout = milliseconds(50);
  bench.Start(graph);
  bench.Finish();
  CHECK(bench.executions == 3);
  CHECK(bench.elapsed() == milliseconds(50 + 10 + 50 + 20 + 50));
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kNodeTimeout);
}

TEST_CASE("a pool job that is late is left to itself; its result is dropped") {
  RecoveryBench bench;
  const auto graph = bench.FlakyCpu(0, Placement::kPool);
  graph->nodes[1].timeout = milliseconds(5);
  graph->nodes[1].on_error = OnError::kPass;
  bench.Start(graph);
  bench.loop.Advance(milliseconds(5));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.ids == std::vector<std::int64_t>{1});
  CHECK(bench.listener.idles == 0);  // the job is still with the pool
  bench.executor.RunAll();
  bench.loop.Turn();
  CHECK(bench.listener.idles == 1);
}

TEST_CASE("a retry that could not start before the deadline is not begun") {
  RecoveryBench bench;
  const auto graph = bench.Flaky(100);
  graph->nodes[1].retry = Policy(10, 40);
  bench.Start(graph, milliseconds(50));
  bench.loop.Advance(milliseconds(45));
  CHECK(bench.executions == 2);
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kTaskFailed);
}

TEST_CASE("a deadline or a cancellation in a pause ends the run") {
  for (const bool cancelled : {false, true}) {
    RecoveryBench bench;
    const auto graph = bench.Flaky(100, milliseconds(20));
    graph->nodes[1].retry = Policy(10, 25);
    bench.Start(graph, milliseconds(50));
    bench.loop.Advance(milliseconds(30));
    if (cancelled) {
      bench.run.Cancel(Error(ErrorCode::kCancelled, "told to"));
    } else {
      bench.loop.Advance(milliseconds(20));
    }
    REQUIRE(bench.listener.error);
    CHECK(bench.listener.idles == 1);
    CHECK(bench.loop.armed_timers() == 0);
  }
}

/// A listener that keeps how many rows came.
class CountingListener final : public RunListener {
 public:
  void OnAnswer(Run&, Result<std::span<const RowSet>> outputs) override {
    REQUIRE(outputs);
    rows = outputs->front().rows();
    if (rows > 0) id = outputs->front().IdAt(0);
  }
  void OnIdle(Run&) override {}
  std::size_t rows = 99;
  std::int64_t id = 0;
};

TEST_CASE("on_error gives no rows, or the first input's, and the trace says so") {
  for (const OnError on_error : {OnError::kEmpty, OnError::kPass}) {
    RecoveryBench bench;
    CountingListener counting;
    Run run(bench.services, counting);
    const auto graph = bench.Flaky(100);
    graph->nodes[1].retry = Policy(2);
    graph->nodes[1].on_error = on_error;
    RunSpec spec;
    spec.graph = graph;
    spec.trace = true;
    run.Start(std::move(spec));
    bench.Finish();
    CHECK(bench.executions == 2);
    CHECK(counting.rows == (on_error == OnError::kPass ? 1 : 0));
    std::string json;
    AppendTraceJson(json, run.trace());
    CHECK(json.find(on_error == OnError::kPass
                        ? R"("attempts":2,"on_error":"pass"})"
                        : R"("attempts":2,"on_error":"empty"})") != std::string::npos);
  }
}

TEST_CASE("a node that did not fail is not said to have recovered") {
  RecoveryBench bench;
  const auto graph = bench.Flaky(0);
  graph->nodes[1].on_error = OnError::kPass;
  bench.Start(graph);
  CHECK(bench.listener.ids == std::vector<std::int64_t>{2});
  CHECK_FALSE(bench.run.trace().nodes[1].recovered);
}

}  // namespace
}  // namespace rankd
