#include "engine/run/run.h"

#include <memory>
#include <new>
#include <vector>

#include <doctest/doctest.h>

#include "tests/run/graph_fixture.h"
#include "tests/run/run_bench.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<const Task> Cpu(Placement place = Placement::kByCost) {
  return std::make_unique<FakeCpuTask>(
      [](const NodeContext& context) { return SumPlusOne(context.inputs); }, place);
}
std::unique_ptr<const Task> Cpu(FakeCpuTask::Body body, Placement place = Placement::kByCost) {
  return std::make_unique<FakeCpuTask>(std::move(body), place);
}
std::unique_ptr<const Task> Wait(int ms, std::optional<ErrorCode> failure = {}) {
  return std::make_unique<FakeAsyncTask>(milliseconds(ms), failure);
}

TEST_CASE("a graph of cheap nodes is answered within Start") {
  RunBench bench;
  bench.run.Start(bench.Spec(MakeGraph({{}, {0}, {0, 1}}, List(Cpu(), Cpu(), Cpu()))));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.idles == 1);
  CHECK(bench.listener.ids == std::vector<std::int64_t>{4});  // 1 + (1 + 2)
  CHECK(bench.loop.armed_timers() == 0);
}

TEST_CASE("waiting nodes run side by side") {
  RunBench bench;
  const TimePoint start = bench.loop.Now();
  bench.run.Start(
      bench.Spec(MakeGraph({{}, {0}, {0}, {1, 2}}, List(Wait(10), Wait(15), Wait(15), Cpu()))));
  while (bench.loop.AdvanceToNextTimer()) {
  }
  CHECK(bench.listener.ids == std::vector<std::int64_t>{5});
  CHECK(bench.loop.Now() - start == milliseconds(25));
}

TEST_CASE("a deadline answers at its time and stops what waits") {
  RunBench bench;
  const TimePoint start = bench.loop.Now();
  RunSpec spec = bench.Spec(MakeGraph({{}, {0}}, List(Wait(10), Wait(1000))));
  spec.deadline = milliseconds(30);
  bench.run.Start(std::move(spec));
  bench.loop.Advance(milliseconds(29));
  CHECK(bench.listener.answers == 0);
  bench.loop.Advance(milliseconds(1));
  REQUIRE(bench.listener.error.has_value());
  CHECK(bench.listener.error->code == ErrorCode::kDeadlineExceeded);
  CHECK(bench.listener.idles == 1);
  CHECK(bench.loop.armed_timers() == 0);
  CHECK(bench.loop.Now() - start == milliseconds(30));
}

TEST_CASE("a node's own timeout goes before the request's, and zero means none") {
  RunBench bench;
  auto graph = MakeGraph({{}, {}, {0, 1}}, List(Wait(100), Wait(200), Cpu()));
  graph->nodes[0].timeout = milliseconds(0);
  graph->nodes[1].timeout = milliseconds(150);
  RunSpec spec = bench.Spec(graph);
  spec.node_timeout = milliseconds(50);
  bench.run.Start(std::move(spec));
  bench.loop.Advance(milliseconds(149));
  CHECK(bench.listener.answers == 0);
  bench.loop.Advance(milliseconds(1));
  REQUIRE(bench.listener.error.has_value());
  CHECK(bench.listener.error->code == ErrorCode::kNodeTimeout);
  CHECK(bench.listener.error->node == "n1");
  CHECK(bench.listener.error->op == "fake");
}

TEST_CASE("the deadline is the code when it is earlier than the node's timeout") {
  RunBench bench;
  RunSpec spec = bench.Spec(MakeGraph({{}}, List(Wait(1000))));
  spec.deadline = milliseconds(20);
  spec.node_timeout = milliseconds(30);
  bench.run.Start(std::move(spec));
  bench.loop.Advance(milliseconds(40));
  CHECK(bench.listener.error->code == ErrorCode::kDeadlineExceeded);
}

TEST_CASE("limits beyond the end of the clock are no limits") {
  for (const milliseconds limit :
       {milliseconds(9'300'000'000'000), milliseconds(18'446'744'073'710),
        milliseconds(std::int64_t{1} << 53)}) {
    RunBench bench;
    auto graph = MakeGraph({{}, {}, {0, 1}}, List(Wait(10), Wait(10), Cpu()));
    graph->nodes[0].timeout = limit;
    RunSpec spec = bench.Spec(graph);
    spec.deadline = limit;
    spec.node_timeout = limit;
    bench.run.Start(std::move(spec));
    bench.loop.Advance(milliseconds(10));
    CHECK_FALSE(bench.listener.error.has_value());
    CHECK(bench.listener.ids == std::vector<std::int64_t>{3});
    CHECK(bench.loop.armed_timers() == 0);
  }
}

TEST_CASE("a deadline answers while a pool job runs; the run is idle when the job has come back") {
  RunBench bench;
  bool saw_stop = false;
  RunSpec spec = bench.Spec(MakeGraph({{}}, List(Cpu(
                                                [&](const NodeContext& context) {
                                                  saw_stop = context.stop.stop_requested();
                                                  return SumPlusOne(context.inputs);
                                                },
                                                Placement::kPool))));
  spec.deadline = milliseconds(1);
  bench.run.Start(std::move(spec));
  bench.loop.Advance(milliseconds(5));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.idles == 0);
  CHECK_FALSE(bench.run.idle());
  bench.executor.RunAll();
  bench.loop.Turn();
  CHECK(saw_stop);
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.idles == 1);
}

TEST_CASE("the first failure wins, later ones are dropped, others are stopped") {
  RunBench bench;
  bench.run.Start(bench.Spec(MakeGraph(
      {{}, {}, {}, {0, 1, 2}},
      List(Wait(10, ErrorCode::kBadData), Wait(10, ErrorCode::kRedisError), Wait(500), Cpu()))));
  bench.loop.Advance(milliseconds(10));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.error->code == ErrorCode::kBadData);
  CHECK(bench.listener.error->node == "n0");
  CHECK(bench.listener.idles == 1);
  CHECK(bench.loop.armed_timers() == 0);
}

TEST_CASE("a failing inline node starts nothing after it") {
  RunBench bench;
  int started = 0;
  bench.run.Start(
      bench.Spec(MakeGraph({{}, {0}}, List(Cpu([](const NodeContext&) -> Result<RowSet> {
                                             return Fail(ErrorCode::kTaskFailed, "no");
                                           }),
                                           Cpu([&](const NodeContext& context) {
                                             ++started;
                                             return SumPlusOne(context.inputs);
                                           })))));
  CHECK(bench.listener.error->code == ErrorCode::kTaskFailed);
  CHECK(started == 0);
}

TEST_CASE("cancelling answers once, also when it comes twice or too late") {
  RunBench bench;
  bench.run.Start(bench.Spec(MakeGraph({{}}, List(Wait(10)))));
  bench.run.Cancel(Error(ErrorCode::kCancelled, "stop"));
  bench.run.Cancel(Error(ErrorCode::kInternal, "stop"));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.error->code == ErrorCode::kCancelled);
  CHECK(bench.run.idle());
}

TEST_CASE("memory that runs out in a task is an answer, not the end of the process") {
  RunBench bench;
  bench.run.Start(bench.Spec(MakeGraph(
      {{}}, List(Cpu([](const NodeContext&) -> Result<RowSet> { throw std::bad_alloc(); })))));
  CHECK(bench.listener.error->code == ErrorCode::kLimitExceeded);
}

TEST_CASE("--cpu offload takes work to the pool and gives the same answer") {
  RunBench bench;
  RunSpec spec = bench.Spec(MakeGraph({{}, {0}, {1}}, List(Cpu(), Cpu(), Cpu())));
  spec.cpu = CpuMode::kOffload;
  bench.run.Start(std::move(spec));
  for (int i = 0; i < 3; ++i) {
    CHECK(bench.listener.answers == 0);
    bench.executor.RunAll();
    bench.loop.Turn();
  }
  CHECK(bench.listener.ids == std::vector<std::int64_t>{3});
  CHECK(bench.executor.submitted() == 3);
}

TEST_CASE("a long chain of cheap nodes lets the loop turn, so that its deadline is met") {
  RunBench bench;
  constexpr std::size_t kNodes = 100'000;
  InputLists inputs(kNodes);
  Tasks tasks;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    if (i > 0) inputs[i] = {i - 1};
    tasks.push_back(Cpu());
  }
  const auto graph = MakeGraph(inputs, std::move(tasks));
  RunSpec spec = bench.Spec(graph);
  spec.deadline = milliseconds(1);
  bench.run.Start(spec);
  CHECK(bench.listener.answers == 0);
  CHECK(bench.loop.has_posted());
  bench.loop.Turn();
  CHECK(bench.listener.ids == std::vector<std::int64_t>{kNodes});

  bench.run.Start(spec);
  bench.run.Cancel(Error(ErrorCode::kCancelled, "stop"));
  CHECK_FALSE(bench.run.idle());  // its continuation is still posted
  bench.loop.Turn();
  CHECK(bench.run.idle());
}

TEST_CASE("a node's rows are released when its last consumer has taken them") {
  RunBench bench;
  std::weak_ptr<const Selection> watched;
  bool alive_in_consumer = false;
  bool alive_after = true;
  const auto graph = MakeGraph(
      {{}, {0}, {1}}, List(Cpu([&](const NodeContext&) -> Result<RowSet> {
                             auto selection = std::make_shared<const Selection>(Selection{0});
                             watched = selection;
                             return RowSet(Column::Make(Column::Ints{1})).WithSelection(selection);
                           }),
                           Cpu([&](const NodeContext&) -> Result<RowSet> {
                             alive_in_consumer = !watched.expired();
                             return RowSet(Column::Make(Column::Ints{1}));
                           }),
                           Cpu([&](const NodeContext& context) {
                             alive_after = !watched.expired();
                             return SumPlusOne(context.inputs);
                           })));
  bench.run.Start(bench.Spec(graph));
  CHECK(alive_in_consumer);
  CHECK_FALSE(alive_after);
}

}  // namespace
}  // namespace rankd
