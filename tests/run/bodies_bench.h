// Plans with bodies, on a loop that is turned by hand and with the real tasks.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/json.h"
#include "engine/graph/graph.h"
#include "engine/run/run.h"
#include "tasks/builtin.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_loop.h"

namespace rankd {

using std::chrono::milliseconds;
using Ids = std::vector<std::int64_t>;

inline std::shared_ptr<const Graph> BuildPlanOf(const std::string& nodes,
                                                const std::string& outputs) {
  const std::string text =
      R"({"schema_version":1,"plan_name":"p","keys":{"n":"int","m":"int"},
          "params":{"yes":{"type":"bool","default":false}},"nodes":[)" +
      nodes + R"(],"outputs":[)" + outputs + "]}";
  Result<JsonDocument> document = ParseJson(text);
  REQUIRE(document);
  Problems problems;
  const auto plan = ParsePlan(*std::move(document), Schema(), "", problems);
  std::shared_ptr<const Graph> graph =
      BuildGraph(*plan, BuiltinTasks(), EndpointTable(), nullptr, problems);
  for (const Problem& problem : problems.all()) INFO(FormatProblem("p", problem));
  REQUIRE(graph != nullptr);
  return graph;
}

class BodiesListener final : public RunListener {
 public:
  void OnAnswer(Run&, Result<std::span<const RowSet>> outputs) override {
    ++answers;
    rows.clear();
    error.reset();
    if (!outputs) {
      error = outputs.error();
      return;
    }
    for (const RowSet& one : *outputs) {
      for (std::size_t i = 0; i < one.rows(); ++i) rows.push_back(one.IdAt(i));
    }
  }
  void OnIdle(Run&) override { ++idles; }

  int answers = 0;
  int idles = 0;
  Ids rows;
  std::optional<Error> error;
};

struct BodiesBench {
  BodiesBench() = default;
  /// What a run leaves to the pool to be destroyed.
  ~BodiesBench() { executor.RunAll(); }

  FakeLoop loop;
  StepExecutor executor;
  BodiesListener listener;
  RunServices services{&loop, &executor, {}};
  Run run{services, listener};
  TimePoint start = loop.Now();
  std::optional<milliseconds> deadline;
  CpuMode cpu = CpuMode::kInline;

  void Start(const std::string& nodes, const std::string& outputs = R"("out")") {
    RunSpec spec;
    spec.graph = BuildPlanOf(nodes, outputs);
    spec.params = ParamValues(*spec.graph->schema);
    spec.deadline = deadline;
    spec.trace = true;
    spec.cpu = cpu;
    start = loop.Now();
    run.Start(std::move(spec));
  }
  void Finish() {
    loop.Turn();
    while (loop.AdvanceToNextTimer()) {
    }
  }
  void Play(const std::string& nodes, const std::string& outputs = R"("out")") {
    Start(nodes, outputs);
    Finish();
  }
  Duration elapsed() const { return loop.Now() - start; }
  int Started(std::string_view id) const {
    int count = 0;
    for (const NodeSpan& span : run.trace().nodes) count += run.trace().NodeOf(span).id == id;
    return count;
  }
};

inline std::string SourceOf(int count) {
  return R"({"node_id":"s","op":"fixed_source","params":{"row_count":)" + std::to_string(count) +
         "}}";
}
inline std::string SleepNode(const char* id, const char* input, int ms, const char* more = "") {
  return std::string(R"({"node_id":")") + id + R"(","op":"sleep","inputs":[)" + input +
         R"(],"params":{"duration_ms":)" + std::to_string(ms) + more + "}}";
}
inline constexpr char kThenFails[] = R"(,"fail_after_sleep":true)";

}  // namespace rankd
