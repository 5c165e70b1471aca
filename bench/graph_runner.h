// Graphs made from plan text and run in this process, for the programs of bench/.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/graph/graph.h"
#include "engine/io/thread_pool.h"
#include "engine/io/uv_loop.h"
#include "engine/plan/plan.h"
#include "engine/run/run.h"

namespace rankd {

/// The graph of a plan of `nodes` and `outputs` (both JSON, without the brackets around the list),
/// with the keys `keys` (JSON); what is wrong with it ends the process.
inline std::shared_ptr<const Graph> BuildOrExit(const TaskCatalog& catalog,
                                                const std::string& nodes,
                                                const std::string& outputs,
                                                const std::string& keys = R"({"n":"int"})") {
  const std::string text = R"({"schema_version":1,"plan_name":"bench","keys":)" + keys +
                           R"(,"nodes":[)" + nodes + R"(],"outputs":[)" + outputs + "]}";
  Result<JsonDocument> document = ParseJson(text);
  Problems problems;
  std::shared_ptr<const Graph> graph;
  if (document) {
    const auto plan = ParsePlan(*std::move(document), Schema(), "", problems);
    if (plan != nullptr) graph = BuildGraph(*plan, catalog, EndpointTable(), nullptr, problems);
  }
  if (graph == nullptr) {
    for (const Problem& problem : problems.all()) {
      std::fprintf(stderr, "%s\n", FormatProblem("bench", problem).c_str());
    }
    std::exit(1);
  }
  return graph;
}

/// Runs graphs to their end, one at a time, on a loop of its own beside a pool thread.
class GraphRunner final : private RunListener {
 public:
  GraphRunner() : pool_(1), services_{&loop_, &pool_, {}}, run_(services_, *this) {}

  /// A failure ends the process.
  void RunOnce(const std::shared_ptr<const Graph>& graph, CpuMode cpu = CpuMode::kInline) {
    RunSpec spec;
    spec.graph = graph;
    spec.cpu = cpu;
    run_.Start(std::move(spec));
    if (run_.idle()) return;
    waiting_ = true;
    loop_.Run();
    waiting_ = false;
  }

  /// Runs once more, for the rows of its outputs.
  std::vector<RowSet> OutputsOf(const std::shared_ptr<const Graph>& graph,
                                CpuMode cpu = CpuMode::kInline) {
    std::vector<RowSet> outputs;
    kept_ = &outputs;
    RunOnce(graph, cpu);
    kept_ = nullptr;
    return outputs;
  }

  /// The least of `runs` runs.
  double BestSeconds(const std::shared_ptr<const Graph>& graph, int runs,
                     CpuMode cpu = CpuMode::kInline) {
    double best = 1e9;
    for (int i = 0; i < runs; ++i) {
      const auto start = std::chrono::steady_clock::now();
      RunOnce(graph, cpu);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      best = std::min(best, taken.count());
    }
    return best;
  }

 private:
  void OnAnswer(Run&, Result<std::span<const RowSet>> outputs) override {
    if (outputs) {
      if (kept_ != nullptr) kept_->assign(outputs->begin(), outputs->end());
      return;
    }
    std::fprintf(stderr, "%s\n", outputs.error().message.c_str());
    std::exit(1);
  }
  void OnIdle(Run&) override {
    if (waiting_) loop_.Stop();
  }

  UvLoop loop_;
  ThreadPool pool_;
  RunServices services_;
  Run run_;
  bool waiting_ = false;
  std::vector<RowSet>* kept_ = nullptr;  ///< Where outputs go, when anyone wants them.
};

}  // namespace rankd
