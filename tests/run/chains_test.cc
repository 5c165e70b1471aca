// Chains of CPU nodes as one job of the pool.
#include <chrono>
#include <memory>
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

using std::chrono::milliseconds;

struct ChainBench {
  FakeLoop loop;
  StepExecutor executor;
  RecordingListener listener;
  RunServices services{&loop, &executor, {}};
  Run run{services, listener};
  bool trace = false;

  /// A node that lets so much time pass, while the loop turns beside it, and then sums its inputs.
  std::unique_ptr<const Task> Takes(int ms, Placement place = Placement::kByCost,
                                    std::optional<ErrorCode> failure = std::nullopt) {
    return std::make_unique<FakeCpuTask>(
        [this, ms, failure](const NodeContext& context) -> Result<RowSet> {
          if (ms > 0) loop.Advance(milliseconds(ms));
          if (failure) return Fail(*failure, "told to fail");
          return SumPlusOne(context.inputs);
        },
        place);
  }
  std::shared_ptr<Graph> Chain(std::unique_ptr<const Task> a, std::unique_ptr<const Task> b,
                               std::unique_ptr<const Task> c) {
    return MakeGraph({{}, {0}, {1}}, List(std::move(a), std::move(b), std::move(c)));
  }
  void Start(const std::shared_ptr<Graph>& graph, CpuMode cpu = CpuMode::kFused) {
    graph->layout = MakeRunLayout(*graph);  // limits and policies may have been set
    RunSpec spec;
    spec.graph = graph;
    spec.cpu = cpu;
    spec.trace = trace;
    run.Start(std::move(spec));
  }
  void Play(const std::shared_ptr<Graph>& graph, CpuMode cpu = CpuMode::kFused) {
    Start(graph, cpu);
    do {
      loop.Turn();
    } while (executor.RunOne());
    loop.Turn();
  }
};

TEST_CASE("a chain is one job, counted node by node") {
  ChainBench bench;
  bench.Play(bench.Chain(bench.Takes(0), bench.Takes(0), bench.Takes(0)));
  CHECK(bench.listener.ids == std::vector<std::int64_t>{3});
  CHECK(bench.executor.submitted() == 1);
  CHECK(bench.run.counts().starts == 3);
  CHECK(bench.run.counts().completions == 3);
  CHECK(bench.run.counts().edges == 2);
  CHECK(bench.listener.idles == 1);
}

TEST_CASE("with auto what goes to the pool takes the rest of its chain along") {
  ChainBench bench;
  bench.Play(bench.Chain(bench.Takes(0), bench.Takes(0, Placement::kPool), bench.Takes(0)),
             CpuMode::kAuto);
  CHECK(bench.listener.ids == std::vector<std::int64_t>{3});
  CHECK(bench.executor.submitted() == 1);
}

TEST_CASE("a chain ends where rows are wanted elsewhere, and before a node that may recover") {
  ChainBench bench;
  // 0 → 1 → 2 and 1 → 3: two chains of one node each begin after 1.
  bench.Play(MakeGraph({{}, {0}, {1}, {1}},
                       List(bench.Takes(0), bench.Takes(0), bench.Takes(0), bench.Takes(0))));
  CHECK(bench.listener.ids == std::vector<std::int64_t>{3, 3});
  CHECK(bench.executor.submitted() == 3);
  const auto graph = bench.Chain(bench.Takes(0), bench.Takes(0), bench.Takes(0));
  graph->nodes[1].on_error = OnError::kEmpty;
  bench.Play(graph);
  CHECK(bench.executor.submitted() == 6);
}

TEST_CASE("an input named twice is taken twice") {
  ChainBench bench;
  bench.Play(MakeGraph({{}, {0, 0}}, List(bench.Takes(0), bench.Takes(0))));
  CHECK(bench.listener.ids == std::vector<std::int64_t>{3});
  CHECK(bench.executor.submitted() == 1);
}

TEST_CASE("the node that fails is named, and those after it do not run") {
  ChainBench bench;
  bench.trace = true;
  bench.Play(bench.Chain(bench.Takes(1), bench.Takes(2, Placement::kByCost, ErrorCode::kBadData),
                         bench.Takes(4)));
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kBadData);
  CHECK(bench.listener.error->node == "n1");
  CHECK(bench.run.counts().completions == 1);
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.nodes.size() == 2);
  CHECK(trace.nodes[0].outcome == NodeEnd::kFinished);
  CHECK(trace.nodes[0].end - trace.nodes[0].start == milliseconds(1));
  CHECK(trace.nodes[1].outcome == NodeEnd::kFailed);
  CHECK(trace.nodes[1].end - trace.nodes[1].start == milliseconds(2));
}

TEST_CASE("each node has its own time limit, from its own start") {
  ChainBench bench;
  const auto graph = bench.Chain(bench.Takes(50), bench.Takes(20), bench.Takes(50));
  graph->nodes[1].timeout = milliseconds(10);
  const TimePoint start = bench.loop.Now();
  bench.Start(graph);
  bench.loop.Turn();
  bench.executor.RunOne();
  CHECK(bench.listener.answers == 1);
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kNodeTimeout);
  CHECK(bench.listener.error->node == "n1");
  bench.loop.Turn();
  // The third was not begun: the job looks whether it is still wanted.
  CHECK(bench.loop.Now() - start == milliseconds(70));
  CHECK(bench.listener.idles == 1);
}

TEST_CASE("the time limit of a node does not strike those after it") {
  ChainBench bench;
  const auto graph = bench.Chain(bench.Takes(5), bench.Takes(50), bench.Takes(8));
  graph->nodes[0].timeout = milliseconds(10);
  graph->nodes[2].timeout = milliseconds(10);
  bench.Play(graph);
  CHECK(bench.listener.ids == std::vector<std::int64_t>{3});
  CHECK(bench.loop.armed_timers() == 0);
}

TEST_CASE("a trace has each node of a chain with its times") {
  ChainBench bench;
  bench.trace = true;
  bench.Play(bench.Chain(bench.Takes(1), bench.Takes(2), bench.Takes(4)));
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.nodes.size() == 3);
  REQUIRE(trace.pool_slices.size() == 3);
  TimePoint at = trace.start;
  for (int i = 0; i < 3; ++i) {
    const NodeSpan& span = trace.nodes[static_cast<std::size_t>(i)];
    CAPTURE(i);
    CHECK(trace.NodeOf(span).id == "n" + std::to_string(i));
    CHECK(span.ran_on == RanOn::kPool);
    CHECK(span.ready == at);
    CHECK(span.start == at);
    at += milliseconds(1 << i);
    CHECK(span.end == at);
    CHECK(span.rows_in == (i == 0 ? 0 : 1));
    CHECK(span.rows_out == 1);
    CHECK(span.outcome == NodeEnd::kFinished);
  }
}

TEST_CASE("a run that is cancelled stops a chain between its nodes") {
  ChainBench bench;
  const auto graph =
      bench.Chain(std::make_unique<FakeCpuTask>([&](const NodeContext& context) -> Result<RowSet> {
                    bench.run.Cancel(Error(ErrorCode::kCancelled, "enough"));
                    return SumPlusOne(context.inputs);
                  }),
                  bench.Takes(10), bench.Takes(10));
  const TimePoint start = bench.loop.Now();
  bench.Play(graph);
  CHECK(bench.listener.answers == 1);
  CHECK(bench.loop.Now() == start);
  CHECK(bench.listener.idles == 1);
}

TEST_CASE(
    "a long chain goes to the pool in parts, so that no timer waits for it to be made ready") {
  constexpr std::uint32_t kNodes = 2'000;
  InputLists inputs(kNodes);
  Tasks tasks;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    if (i > 0) inputs[i] = {i - 1};
    tasks.push_back(std::make_unique<FakeCpuTask>(
        [](const NodeContext& context) { return SumPlusOne(context.inputs); }));
  }
  RunBench bench;
  RunSpec spec = bench.Spec(MakeGraph(inputs, std::move(tasks)));
  spec.cpu = CpuMode::kFused;
  bench.run.Start(std::move(spec));
  while (bench.executor.RunOne()) bench.loop.Turn();
  CHECK(bench.run.idle());
  CHECK(bench.listener.ids == std::vector<std::int64_t>{kNodes});
  CHECK(bench.executor.submitted() == 4);
}

}  // namespace
}  // namespace rankd
