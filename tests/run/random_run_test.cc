// Random graphs with random delays, failures and limits, against a naive simulation in time.
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "engine/run/run.h"
#include "tests/run/graph_fixture.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_loop.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

struct NodeScript {
  bool async = false;
  int delay = 0;  ///< Milliseconds; only of async nodes.
  std::optional<ErrorCode> failure;
  int timeout = 0;  ///< Milliseconds; 0: none.
};

struct Outcome {
  std::optional<ErrorCode> error;
  std::vector<std::int64_t> ids;
  int at = 0;  ///< Milliseconds after the start.
};

/// When each node ends and with what, by going over the nodes in order: edges go upwards.
Outcome Simulate(const InputLists& inputs, const std::vector<NodeScript>& scripts, int deadline) {
  std::vector<int> end(inputs.size());
  std::vector<std::int64_t> id(inputs.size());
  std::vector<bool> feeds(inputs.size(), false);
  std::map<int, std::vector<ErrorCode>> failures;  // by time
  std::vector<bool> never(inputs.size(), false);
  for (std::size_t node = 0; node < inputs.size(); ++node) {
    int start = 0;
    std::int64_t sum = 1;
    for (const std::uint32_t input : inputs[node]) {
      if (never[input]) never[node] = true;
      start = std::max(start, end[input]);
      sum = (sum + id[input]) % 1'000'003;
      feeds[input] = true;
    }
    if (never[node]) continue;
    const NodeScript& script = scripts[node];
    id[node] = sum;
    end[node] = start + script.delay;
    if (script.timeout > 0 && script.delay > script.timeout) {
      failures[start + script.timeout].push_back(ErrorCode::kNodeTimeout);
      never[node] = true;
    } else if (script.failure) {
      failures[end[node]].push_back(*script.failure);
      never[node] = true;
    }
  }
  Outcome outcome;
  for (std::size_t node = 0; node < inputs.size(); ++node) {
    if (!never[node]) outcome.at = std::max(outcome.at, end[node]);
    if (!feeds[node]) outcome.ids.push_back(id[node]);
  }
  if (!failures.empty()) {
    outcome.at = failures.begin()->first;
    outcome.error = failures.begin()->second.front();
  }
  if (deadline > 0 && outcome.at > deadline) {
    outcome.at = deadline;
    outcome.error = ErrorCode::kDeadlineExceeded;
  }
  return outcome;
}

TEST_CASE("random runs end when and as a naive simulation says") {
  std::mt19937 random(11);
  FakeLoop loop;
  InlineExecutor executor;
  RecordingListener listener;
  Run run(RunServices{&loop, &executor, {}}, listener);
  int failed = 0;
  for (int round = 0; round < 2'000; ++round) {
    const InputLists inputs = RandomInputs(1 + random() % 30, random);
    std::vector<NodeScript> scripts(inputs.size());
    std::vector<std::unique_ptr<const Task>> tasks;
    for (NodeScript& script : scripts) {
      script.async = random() % 2 == 0;
      // Delays are even and limits odd, so that a limit never ties with an end; distinct failures
      // may tie, so there is one code.
      if (script.async) script.delay = 2 * static_cast<int>(random() % 20);
      if (random() % 25 == 0) script.failure = ErrorCode::kTaskFailed;
      if (script.async && random() % 10 == 0) {
        script.timeout = 1 + 2 * static_cast<int>(random() % 30);
      }
      if (script.async) {
        tasks.push_back(
            std::make_unique<FakeAsyncTask>(milliseconds(script.delay), script.failure));
      } else {
        tasks.push_back(std::make_unique<FakeCpuTask>(
            [failure = script.failure](const NodeContext& context) -> Result<RowSet> {
              if (failure) return Fail(*failure, "told to fail");
              return SumPlusOne(context.inputs);
            },
            random() % 2 == 0 ? Placement::kByCost : Placement::kPool));
      }
    }
    auto graph = MakeGraph(inputs, std::move(tasks));
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      if (scripts[i].timeout > 0) graph->nodes[i].timeout = milliseconds(scripts[i].timeout);
    }
    const int deadline = random() % 3 == 0 ? 1 + 2 * static_cast<int>(random() % 60) : 0;
    const Outcome want = Simulate(inputs, scripts, deadline);

    const int answers_before = listener.answers;
    const TimePoint start = loop.Now();
    RunSpec spec;
    spec.graph = graph;
    if (deadline > 0) spec.deadline = milliseconds(deadline);
    run.Start(std::move(spec));
    loop.Turn();
    while (listener.answers == answers_before) REQUIRE(loop.AdvanceToNextTimer());
    CHECK(loop.Now() - start == milliseconds(want.at));
    REQUIRE(listener.error.has_value() == want.error.has_value());
    if (want.error) {
      ++failed;
      // An odd time may be the limit of two nodes or of a node and the request at once.
      if (want.error != ErrorCode::kNodeTimeout && want.error != ErrorCode::kDeadlineExceeded) {
        CHECK(listener.error->code == *want.error);
      }
    } else {
      CHECK(listener.ids == want.ids);
    }
    loop.Turn();
    REQUIRE(run.idle());
    CHECK(loop.armed_timers() == 0);
    CHECK(listener.answers == answers_before + 1);
  }
  CHECK(failed > 200);
  CHECK(failed < 1'800);
}

}  // namespace
}  // namespace rankd
