// What a node costs that does nothing: DAGs of no-op inline nodes, built once and run again and
// again; beside them the same DAGs in oneTBB's flow graph on one thread and on two (where it was
// found when this was built), and a bare loop over counters as the floor.
//
// usage: node_cost [--json] [--only rankd|counters|tbb|floor] [--shape chain|wide|layers] [--nodes
// N]
// [--runs N]
//
// Where no node waits, ours run in an order found when the graph was built; `counters` is the same
// graph with a coroutine as its first node (it ends at once), so that each node's end counts down.
//
// A node of ours takes its inputs' rows and hands on those of the first, as any task does; a
// continue_node of oneTBB hands on an empty message. Shapes: chain; wide, 1 to n-2 to 1; layers of
// 10, each node to 2 random nodes of the next one. Nanoseconds a node: the median of the rounds, in
// which the candidates take turns.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#ifdef RANKD_BENCH_TBB
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

#include "bench/graph_runner.h"
#include "bench/rounds.h"

namespace rankd {
namespace {

constexpr std::size_t kRounds = 7;
/// Nodes to run in one round, so that short graphs are timed over many runs.
constexpr std::size_t kNodesPerRound = 400'000;

/// By node: those it takes its rows from, all of lower numbers.
using Inputs = std::vector<std::vector<std::uint32_t>>;

Inputs Chain(std::uint32_t n) {
  Inputs inputs(n);
  for (std::uint32_t i = 1; i < n; ++i) inputs[i] = {i - 1};
  return inputs;
}

Inputs Wide(std::uint32_t n) {
  Inputs inputs(n);
  for (std::uint32_t i = 1; i + 1 < n; ++i) {
    inputs[i] = {0};
    inputs[n - 1].push_back(i);
  }
  return inputs;
}

Inputs Layers(std::uint32_t n) {
  constexpr std::uint32_t kWidth = 10;
  std::mt19937 random(1);
  Inputs inputs(n);
  for (std::uint32_t i = 0; i + kWidth < n; ++i) {
    const std::uint32_t next = (i / kWidth + 1) * kWidth;
    for (int edge = 0; edge < 2; ++edge) inputs[next + random() % kWidth].push_back(i);
  }
  return inputs;
}

/// Successors in compressed sparse rows.
struct Csr {
  explicit Csr(const Inputs& inputs) : begin(inputs.size() + 1) {
    for (const auto& list : inputs) {
      required.push_back(static_cast<std::uint32_t>(list.size()));
      for (const std::uint32_t input : list) ++begin[input + 1];
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) begin[i + 1] += begin[i];
    successors.resize(begin.back());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      for (const std::uint32_t input : inputs[i]) successors[next[input]++] = i;
      if (inputs[i].empty()) sources.push_back(i);
    }
  }

  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> successors;
  std::vector<std::uint32_t> required;
  std::vector<std::uint32_t> sources;
};

/// Nothing but the counters: what any push scheduler does at least.
class Floor {
 public:
  explicit Floor(const Inputs& inputs) : csr_(inputs) {}
  void Run() {
    remaining_ = csr_.required;
    ready_ = csr_.sources;
    while (!ready_.empty()) {
      const std::uint32_t node = ready_.back();
      ready_.pop_back();
      ++ran_;
      for (std::uint32_t i = csr_.begin[node]; i < csr_.begin[node + 1]; ++i) {
        if (--remaining_[csr_.successors[i]] == 0) ready_.push_back(csr_.successors[i]);
      }
    }
  }
  std::uint64_t ran() const { return ran_; }

 private:
  Csr csr_;
  std::vector<std::uint32_t> remaining_;
  std::vector<std::uint32_t> ready_;
  std::uint64_t ran_ = 0;
};

class Noop final : public CpuTask {
 public:
  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    return inputs.empty() ? KeySet() : inputs[0];
  }
  Result<RowSet> Run(const NodeContext& context) const override {
    if (context.inputs.empty()) return rows_.Get();
    return context.inputs.Take(0);
  }
  Placement placement() const override { return Placement::kInline; }
  CpuCost cost() const override { return {}; }

 private:
  SharedRows rows_{RowSet()};
};

/// For all the graph knows it may wait.
class NoopAsync final : public AsyncTask {
 public:
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Co<Result<RowSet>> Run(const AsyncContext&) const override { co_return rows_.Get(); }

 private:
  SharedRows rows_{RowSet()};
};

template <typename T>
constexpr TaskSpec SpecOf(std::string_view op, std::size_t max_inputs) {
  return {
      .op = op,
      .doc = "Hands on what it is given.",
      .min_inputs = 0,
      .max_inputs = max_inputs,
      .takes_rhs = false,
      .kind = "inline",
      .params = {},
      .make = [](TaskBuilder&) -> std::unique_ptr<const Task> { return std::make_unique<T>(); }};
}

TaskCatalog NoopCatalog() {
  static constexpr TaskSpec kNoop = SpecOf<Noop>("noop", kAnyNumberOfInputs);
  static constexpr TaskSpec kNoopAsync = SpecOf<NoopAsync>("async", 0);
  static constexpr const TaskSpec* kSpecs[] = {&kNoop, &kNoopAsync};
  return TaskCatalog(kSpecs);
}

std::shared_ptr<const Graph> GraphOf(const Inputs& inputs, std::string_view first_op) {
  std::string nodes;
  std::string outputs;
  std::vector<bool> feeds(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    nodes += (i == 0 ? R"({"node_id":"n)" : R"(,{"node_id":"n)") + std::to_string(i) +
             R"(","op":")" + std::string(i == 0 ? first_op : "noop") + R"(","inputs":[)";
    for (std::size_t k = 0; k < inputs[i].size(); ++k) {
      nodes += (k == 0 ? "\"n" : ",\"n") + std::to_string(inputs[i][k]) + '"';
      feeds[inputs[i][k]] = true;
    }
    nodes += "]}";
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!feeds[i]) outputs += (outputs.empty() ? "\"n" : ",\"n") + std::to_string(i) + '"';
  }
  return BuildOrExit(NoopCatalog(), nodes, outputs);
}

#ifdef RANKD_BENCH_TBB
class TbbGraph {
 public:
  explicit TbbGraph(const Inputs& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      nodes_.push_back(std::make_unique<Node>(
          graph_, [](const tbb::flow::continue_msg& message) { return message; }));
      for (const std::uint32_t input : inputs[i]) tbb::flow::make_edge(*nodes_[input], *nodes_[i]);
      if (inputs[i].empty()) sources_.push_back(nodes_.back().get());
    }
  }
  void Run() {
    for (Node* source : sources_) source->try_put(tbb::flow::continue_msg());
    graph_.wait_for_all();
  }

 private:
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  tbb::flow::graph graph_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> sources_;
};
#endif

struct Options {
  bool json = false;
  std::string_view only;
  std::string_view shape;  ///< Empty: all.
  std::size_t nodes = 0;   ///< 0: 10, 100, …
  std::size_t runs = 0;    ///< Per round; 0: as many as make kNodesPerRound nodes.
};

void Measure(std::string_view shape, const Inputs& inputs, const Options& options,
             GraphRunner& runner) {
  if (!options.shape.empty() && options.shape != shape) return;
  const auto wanted = [&](std::string_view name) {
    return options.only.empty() || options.only == name;
  };
  std::vector<Candidate> candidates;
  if (wanted("rankd")) {
    candidates.push_back(
        {"rankd", [&runner, graph = GraphOf(inputs, "noop")] { runner.RunOnce(graph); }});
  }
  if (wanted("counters")) {
    candidates.push_back({"rankd, counters",
                          [&runner, graph = GraphOf(inputs, "async")] { runner.RunOnce(graph); }});
  }
#ifdef RANKD_BENCH_TBB
  if (wanted("tbb")) {
    for (const int threads : {1, 2}) {
      // The arena the graph is made in is the one it runs in.
      auto arena = std::make_shared<tbb::task_arena>(threads);
      std::shared_ptr<TbbGraph> graph;
      arena->execute([&] { graph = std::make_shared<TbbGraph>(inputs); });
      candidates.push_back({threads == 1 ? "tbb, 1 thread" : "tbb, 2 threads",
                            [arena, graph] { arena->execute([&] { graph->Run(); }); }});
    }
  }
#endif
  if (wanted("floor")) {
    auto floor = std::make_shared<Floor>(inputs);
    candidates.push_back({"floor", [floor] { floor->Run(); }});
  }
  const std::size_t runs =
      options.runs != 0 ? options.runs : std::max<std::size_t>(1, kNodesPerRound / inputs.size());
  MeasureRounds(candidates, kRounds, runs, inputs.size());
  for (const Candidate& candidate : candidates) {
    std::printf(
        options.json
            ? R"({"shape":"%s","nodes":%zu,"who":"%s","ns_each":%.1f,"least":%.1f,"most":%.1f})"
              "\n"
            : "%-8s%8zu  %-16s%8.1f%10.1f%10.1f\n",
        shape.data(), inputs.size(), candidate.name.c_str(), candidate.median(), candidate.least(),
        candidate.most());
  }
}

}  // namespace
}  // namespace rankd

int main(int argc, char** argv) {
  rankd::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json") options.json = true;
    if (argument == "--only" && i + 1 < argc) options.only = argv[++i];
    if (argument == "--shape" && i + 1 < argc) options.shape = argv[++i];
    if (argument == "--nodes" && i + 1 < argc) options.nodes = std::strtoul(argv[++i], nullptr, 10);
    if (argument == "--runs" && i + 1 < argc) options.runs = std::strtoul(argv[++i], nullptr, 10);
  }
  rankd::GraphRunner runner;
  if (!options.json) {
    std::printf("%-8s%8s  %-16s%8s%10s%10s\n", "shape", "nodes", "", "ns each", "least", "most");
  }
  for (const std::uint32_t n : {10U, 100U, 1'000U, 10'000U, 100'000U}) {
    if (options.nodes != 0 && options.nodes != n) continue;
    rankd::Measure("chain", rankd::Chain(n), options, runner);
    rankd::Measure("wide", rankd::Wide(n), options, runner);
    rankd::Measure("layers", rankd::Layers(n), options, runner);
  }
}
