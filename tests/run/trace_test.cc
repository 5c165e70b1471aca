#include "engine/run/trace.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/run/critical_path.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "tests/run/graph_fixture.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_kv.h"
#include "tests/support/fake_loop.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

/// Asks the store at endpoint 0 once.
class AskingTask final : public AsyncTask {
 public:
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    CommandBatch commands;
    commands.HGetAll("user:1");
    commands.HGetAll("user:2");
    KvCall call = context.Call(EndpointId{0}, commands);
    const Result<Replies> replies = co_await call;
    if (!replies) co_return std::unexpected(replies.error());
    co_return RowSet(Column::Make(Column::Ints{1}));
  }
};

struct TraceBench {
  FakeLoop loop;
  StepExecutor executor;
  RecordingListener listener;
  FakeKv kv{loop, "store", R"({"user:1":{"a":"b"}})"};
  KvClient* clients[1] = {&kv};
  RunServices services{&loop, &executor, clients};
  Run run{services, listener};

  void Start(std::shared_ptr<const Graph> graph,
             std::optional<milliseconds> deadline = std::nullopt) {
    RunSpec spec;
    spec.graph = std::move(graph);
    spec.trace = true;
    spec.count_kv = true;
    spec.deadline = deadline;
    run.Start(std::move(spec));
  }
  std::string Json() const {
    std::string text;
    AppendTraceJson(text, run.trace());
    return text;
  }
};

std::unique_ptr<const Task> InlineCpu(Placement place = Placement::kInline) {
  return std::make_unique<FakeCpuTask>(
      [](const NodeContext& context) { return SumPlusOne(context.inputs); }, place);
}
std::unique_ptr<const Task> WaitFor(int ms, std::optional<ErrorCode> failure = {}) {
  return std::make_unique<FakeAsyncTask>(milliseconds(ms), failure);
}

TEST_CASE("a trace tells when nodes were ready, started and ended, and the critical path") {
  TraceBench bench;
  bench.Start(
      MakeGraph({{}, {0}, {0}, {1, 2}}, List(WaitFor(10), WaitFor(15), WaitFor(5), InlineCpu())));
  while (bench.loop.AdvanceToNextTimer()) {
  }
  REQUIRE(bench.listener.answers == 1);
  CHECK(
      bench.Json() ==
      R"({"nodes":[)"
      R"({"node":"n0","op":"fake","ready_us":0,"start_us":0,"end_us":10000,"ran_on":"loop","rows_in":0,"rows_out":1},)"
      R"({"node":"n1","op":"fake","ready_us":10000,"start_us":10000,"end_us":25000,"ran_on":"loop","rows_in":1,"rows_out":1},)"
      R"({"node":"n2","op":"fake","ready_us":10000,"start_us":10000,"end_us":15000,"ran_on":"loop","rows_in":1,"rows_out":1},)"
      R"({"node":"n3","op":"fake","ready_us":25000,"start_us":25000,"end_us":25000,"ran_on":"loop","rows_in":2,"rows_out":1}],)"
      R"("critical_path":["n0","n1","n3"],"total_us":25000})");
}

TEST_CASE("the critical path counts the wait for a place to run") {
  // Both jobs are ready at once; the second waits for the pool while the first runs.
  TraceBench bench;
  bench.Start(MakeGraph({{}, {}}, List(InlineCpu(Placement::kPool), InlineCpu(Placement::kPool))));
  bench.loop.Advance(milliseconds(1));
  bench.executor.RunOne();
  bench.loop.Advance(milliseconds(3));
  bench.executor.RunOne();
  bench.loop.Turn();
  REQUIRE(bench.listener.answers == 1);
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.nodes.size() == 2);
  CHECK(trace.nodes[0].ran_on == RanOn::kPool);
  CHECK(trace.nodes[0].start - trace.start == milliseconds(1));
  CHECK(trace.nodes[1].start - trace.start == milliseconds(4));
  CHECK(trace.pool_slices.size() == 2);
  CHECK(CriticalPath(trace) == std::vector<std::uint32_t>{1});
}

TEST_CASE("at a deadline what is under way ends, stopped, and what did not start is left out") {
  TraceBench bench;
  bench.Start(
      MakeGraph({{}, {0}, {0}, {1, 2}}, List(WaitFor(10), WaitFor(500), WaitFor(5), InlineCpu())),
      milliseconds(30));
  bench.loop.Advance(milliseconds(40));
  REQUIRE(bench.listener.error);
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.nodes.size() == 3);
  CHECK(trace.answered - trace.start == milliseconds(30));
  CHECK(trace.nodes[0].outcome == NodeEnd::kFinished);
  CHECK(trace.nodes[1].outcome == NodeEnd::kStopped);
  CHECK(trace.nodes[1].end == trace.answered);
  CHECK(trace.nodes[2].outcome == NodeEnd::kFinished);
  CHECK(CriticalPath(trace) == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("the node that failed the run is told from those that were stopped") {
  TraceBench bench;
  bench.Start(MakeGraph({{}, {}}, List(WaitFor(10, ErrorCode::kTaskFailed), WaitFor(500))));
  bench.loop.Advance(milliseconds(10));
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.nodes.size() == 2);
  CHECK(trace.nodes[0].outcome == NodeEnd::kFailed);
  CHECK(trace.nodes[0].end - trace.start == milliseconds(10));
  CHECK(trace.nodes[1].outcome == NodeEnd::kStopped);
}

TEST_CASE("pool work that comes back after the answer is a slice and changes no span") {
  TraceBench bench;
  bench.Start(MakeGraph({{}}, List(InlineCpu(Placement::kPool))), milliseconds(5));
  bench.loop.Advance(milliseconds(8));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.idles == 0);
  bench.executor.RunOne();
  bench.loop.Turn();
  CHECK(bench.listener.idles == 1);
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.pool_slices.size() == 1);
  CHECK(trace.pool_slices[0].start - trace.start == milliseconds(8));
  REQUIRE(trace.nodes.size() == 1);
  CHECK(trace.nodes[0].outcome == NodeEnd::kStopped);
  CHECK(trace.nodes[0].end - trace.start == milliseconds(5));
}

TEST_CASE("pipelines are spans of their node, with their bytes") {
  TraceBench bench;
  bench.kv.AnswerAfter(milliseconds(3));
  bench.Start(MakeGraph({{}}, List(std::make_unique<AskingTask>())));
  bench.loop.Advance(milliseconds(3));
  REQUIRE(bench.listener.idles == 1);
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.pipelines.size() == 1);
  const PipelineSpan& pipeline = trace.pipelines[0];
  CHECK(pipeline.node_span == 0);
  CHECK(pipeline.endpoint == "store");
  CHECK(pipeline.commands == "HGETALL user:1, HGETALL user:2");
  CHECK(pipeline.command_count == 2);
  CHECK(pipeline.bytes_sent == 2 * std::string("*2\r\n$7\r\nHGETALL\r\n$6\r\nuser:1\r\n").size());
  CHECK(pipeline.bytes_received == std::string("*2\r\n$1\r\na\r\n$1\r\nb\r\n*0\r\n").size());
  CHECK(pipeline.answered);
  CHECK(pipeline.end - pipeline.start == milliseconds(3));
  CHECK(bench.run.kv_usage().commands == 2);
  CHECK(bench.run.kv_usage().bytes_sent == pipeline.bytes_sent);
  CHECK(bench.run.kv_usage().bytes_received == pipeline.bytes_received);
}

TEST_CASE("a pipeline that is under way at the deadline ends there, unanswered") {
  TraceBench bench;
  bench.kv.NextIsDropped();
  bench.Start(MakeGraph({{}}, List(std::make_unique<AskingTask>())), milliseconds(5));
  bench.loop.Advance(milliseconds(6));
  const RunTrace& trace = bench.run.trace();
  REQUIRE(trace.pipelines.size() == 1);
  CHECK_FALSE(trace.pipelines[0].answered);
  CHECK(trace.pipelines[0].end == trace.answered);
  CHECK(bench.run.kv_usage().commands == 2);
  CHECK(bench.run.kv_usage().bytes_received == 0);
}

TEST_CASE("a run used again starts its trace anew; one that is not traced keeps none of it") {
  TraceBench bench;
  const auto graph = MakeGraph({{}, {0}}, List(InlineCpu(), InlineCpu()));
  bench.Start(graph);
  CHECK(bench.run.trace().nodes.size() == 2);
  bench.Start(graph);
  CHECK(bench.run.trace().nodes.size() == 2);
  CHECK(bench.listener.idles == 2);
}

}  // namespace
}  // namespace rankd
