// Graphs that run in the order of their static schedule against the same graphs run by the
// scheduler, which a run that is traced does.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/run/graph_fixture.h"
#include "tests/run/run_bench.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_loop.h"

namespace rankd {
namespace {

/// What the tasks of a run saw, in the order in which they ran.
struct Seen {
  struct Node {
    std::uint32_t number = 0;
    std::vector<std::int64_t> input_ids;
    int alive = 0;  ///< Rows of earlier nodes that were still there.
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;
  int alive = 0;
};

/// Its rows are counted as long as any copy of them lives.
class WatchedTask final : public CpuTask {
 public:
  struct Traits {
    Placement placement = Placement::kByCost;
    CpuCost cost;
    bool takes = false;  ///< Its first input, whose rows it hands on in part.
    bool fails = false;
  };
  WatchedTask(std::uint32_t number, Traits traits, Seen& seen)
      : number_(number), traits_(traits), seen_(seen) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Placement placement() const override { return traits_.placement; }
  CpuCost cost() const override { return traits_.cost; }

  Result<RowSet> Run(const NodeContext& context) const override {
    Seen::Node& node = seen_.nodes.emplace_back(number_);
    node.alive = seen_.alive;
    for (const RowSet& input : context.inputs) node.input_ids.push_back(input.IdAt(0));
    if (traits_.fails) return Fail(ErrorCode::kTaskFailed, "told to fail");
    if (traits_.takes && !context.inputs.empty()) {
      RowSet taken = context.inputs.Take(0);
      return std::move(taken).Slice(0, 1);
    }
    ++seen_.alive;
    const SelectionRef watched(new Selection{0}, [&seen = seen_](const Selection* selection) {
      --seen.alive;
      delete selection;
    });
    RANKD_TRY(const RowSet sum, SumPlusOne(context.inputs));
    return sum.WithSelection(watched);
  }

 private:
  std::uint32_t number_;
  Traits traits_;
  Seen& seen_;
};

struct Script {
  InputLists inputs;
  std::vector<WatchedTask::Traits> nodes;
  CpuMode cpu = CpuMode::kAuto;
  std::optional<int> cancelled_after;  ///< Turns of the loop.
};

Script RandomScript(std::mt19937& random) {
  Script script;
  script.inputs = RandomInputs(1 + random() % 30, random);
  const bool may_offload = random() % 2 == 0;
  const bool may_fail = random() % 4 == 0;
  for (std::size_t i = 0; i < script.inputs.size(); ++i) {
    WatchedTask::Traits& node = script.nodes.emplace_back();
    if (random() % 3 == 0) node.placement = Placement::kInline;
    if (may_offload && random() % 8 == 0) node.placement = Placement::kPool;
    // Of a turn (0.5 ms) some are a large part; two rows and more of some are for the pool.
    if (random() % 2 == 0) node.cost.fixed_ns = static_cast<double>(random() % 190'000);
    if (may_offload && random() % 4 == 0) node.cost.ns_per_row = 60'000;
    node.takes = random() % 3 == 0;
    node.fails = may_fail && random() % 16 == 0;
  }
  if (may_offload && random() % 4 == 0) script.cpu = CpuMode::kOffload;
  if (random() % 8 == 0) script.cancelled_after = static_cast<int>(random() % 4);
  return script;
}

struct Played {
  Seen seen;
  RecordingListener listener;
  RunCounts counts;
  int turns = 0;
  std::size_t jobs = 0;
};

/// Traced, it runs by the scheduler.
void Play(const Script& script, bool traced, Played& played) {
  FakeLoop loop;
  StepExecutor executor;
  const RunServices services{&loop, &executor, {}};
  Run run(services, played.listener);
  Tasks tasks;
  for (std::uint32_t i = 0; i < script.nodes.size(); ++i) {
    tasks.push_back(std::make_unique<WatchedTask>(i, script.nodes[i], played.seen));
  }
  RunSpec spec;
  spec.graph = MakeGraph(script.inputs, std::move(tasks));
  REQUIRE_FALSE(spec.graph->layout.schedule.empty());
  spec.cpu = script.cpu;
  spec.trace = traced;
  // Twice: what one run leaves behind must not be seen in the next.
  for (int round = 0; round < 2; ++round) {
    run.Start(spec);
    for (int turn = 0; !run.idle(); ++turn) {
      if (turn == script.cancelled_after) run.Cancel(Error(ErrorCode::kCancelled, "stop"));
      executor.RunOne();
      loop.TurnOnce();
      ++played.turns;
      REQUIRE(turn < 1000);
    }
    CHECK(played.seen.alive == 0);
  }
  played.counts = run.counts();
  played.jobs = executor.submitted();
}

TEST_CASE("a graph in its static order runs, fails and lets go of rows as by the scheduler") {
  std::mt19937 random(21);
  int failed = 0;
  int offloaded = 0;
  int many_turns = 0;
  for (int round = 0; round < 3'000; ++round) {
    const Script script = RandomScript(random);
    Played scheduled;
    Played by_scheduler;
    Play(script, false, scheduled);
    Play(script, true, by_scheduler);
    REQUIRE(scheduled.seen.nodes == by_scheduler.seen.nodes);
    REQUIRE(scheduled.listener.answers == 2);
    REQUIRE(scheduled.listener.idles == 2);
    REQUIRE(scheduled.listener.ids == by_scheduler.listener.ids);
    REQUIRE(scheduled.listener.error.has_value() == by_scheduler.listener.error.has_value());
    if (scheduled.listener.error) {
      REQUIRE(scheduled.listener.error->code == by_scheduler.listener.error->code);
      REQUIRE(scheduled.listener.error->node == by_scheduler.listener.error->node);
      ++failed;
    }
    REQUIRE(scheduled.counts.starts == by_scheduler.counts.starts);
    REQUIRE(scheduled.counts.completions == by_scheduler.counts.completions);
    REQUIRE(scheduled.counts.edges == by_scheduler.counts.edges);
    REQUIRE(scheduled.turns == by_scheduler.turns);
    REQUIRE(scheduled.jobs == by_scheduler.jobs);
    offloaded += static_cast<int>(scheduled.jobs > 0);
    many_turns += static_cast<int>(scheduled.turns > 2 && scheduled.jobs == 0);
  }
  CHECK(failed > 200);
  CHECK(offloaded > 500);
  CHECK(many_turns > 200);
}

TEST_CASE("rows that nobody wants, of a node that runs for its effect, go at once") {
  Seen seen;
  Tasks tasks;
  for (std::uint32_t i = 0; i < 3; ++i) {
    tasks.push_back(std::make_unique<WatchedTask>(i, WatchedTask::Traits(), seen));
  }
  const auto graph = MakeGraph({{}, {0}, {0}}, std::move(tasks));
  graph->nodes[1].effect = true;
  graph->nodes[1].consumers = 0;
  graph->outputs = {NodeId{2}};
  graph->layout = MakeRunLayout(*graph);
  RunBench bench;
  bench.run.Start(bench.Spec(graph));
  CHECK(bench.listener.ids == std::vector<std::int64_t>{2});
  REQUIRE(seen.nodes.size() == 3);
  CHECK(seen.nodes[1].number == 1);
  CHECK(seen.nodes[2].number == 2);
  CHECK(seen.nodes[2].alive == 1);  // its input
  CHECK(seen.alive == 0);
}

TEST_CASE("a run goes from a scheduled graph to another and back") {
  RunBench bench;
  const auto sum = [](const NodeContext& context) { return SumPlusOne(context.inputs); };
  const auto scheduled = MakeGraph({{}, {0}, {0, 1}}, List(std::make_unique<FakeCpuTask>(sum),
                                                           std::make_unique<FakeCpuTask>(sum),
                                                           std::make_unique<FakeCpuTask>(sum)));
  const auto waiting =
      MakeGraph({{}, {0}}, List(std::make_unique<FakeAsyncTask>(Duration::zero(), std::nullopt),
                                std::make_unique<FakeCpuTask>(sum)));
  CHECK(waiting->layout.schedule.empty());
  for (int round = 0; round < 3; ++round) {
    bench.run.Start(bench.Spec(scheduled));
    CHECK(bench.listener.ids == std::vector<std::int64_t>{4});
    bench.run.Start(bench.Spec(waiting));
    CHECK(bench.listener.ids == std::vector<std::int64_t>{2});
  }
}

}  // namespace
}  // namespace rankd
