#include "engine/graph/assembly.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "engine/base/check.h"

namespace rankd {
namespace {

GraphNode MakeNode(const PlanNode& written, CompiledNode& compiled) {
  GraphNode node;
  node.id = written.id;
  node.op = written.op;
  node.trace = written.trace;
  node.task = std::move(compiled.task);
  node.async_task = dynamic_cast<const AsyncTask*>(node.task.get());
  node.cpu_task = dynamic_cast<const CpuTask*>(node.task.get());
  RANKD_CHECK((node.async_task != nullptr) != (node.cpu_task != nullptr));
  node.expressions = std::move(compiled.expressions);
  node.endpoints = std::move(compiled.endpoints);
  node.effect = written.effect;
  if (written.timeout_ms) node.timeout = std::chrono::milliseconds(*written.timeout_ms);
  node.retry = written.retry;
  node.on_error = written.on_error;
  return node;
}

Topology MakeTopology(const std::vector<GraphNode>& nodes) {
  Topology topology;
  const std::size_t count = nodes.size();
  topology.required.reserve(count);
  topology.successor_begin.assign(count + 1, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    topology.required.push_back(static_cast<std::uint32_t>(nodes[i].inputs.size()));
    if (nodes[i].inputs.empty()) topology.sources.push_back(NodeId{i});
    for (const NodeId input : nodes[i].inputs) ++topology.successor_begin[Index(input) + 1];
  }
  for (std::size_t i = 0; i < count; ++i) {
    topology.successor_begin[i + 1] += topology.successor_begin[i];
  }
  topology.successors.resize(topology.successor_begin[count]);
  std::vector<std::uint32_t> next(topology.successor_begin.begin(),
                                  topology.successor_begin.end() - 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const NodeId input : nodes[i].inputs) {
      topology.successors[next[Index(input)]++] = NodeId{i};
    }
  }
  return topology;
}

void FillInterface(const Plan& plan, Graph& graph) {
  graph.name = plan.name;
  graph.schema = plan.schema;
  for (std::uint32_t i = 1; i < plan.schema->key_count(); ++i) {
    graph.alphabetical_keys.push_back(KeyId{i});
  }
  std::ranges::sort(graph.alphabetical_keys, {},
                    [&](KeyId key) { return std::string_view(plan.schema->key(key).name); });
}

/// `numbers`: by position, of the needed nodes; those of the others are filled in.
void KeepPruned(const Plan& plan, const PlanEdges& edges, const std::vector<std::uint32_t>& order,
                const std::vector<bool>& needed, std::vector<NodeId>& numbers, Graph& graph) {
  for (const std::uint32_t position : order) {
    if (needed[position]) continue;
    const PlanNode& written = plan.nodes[position];
    numbers[position] =
        NodeId{static_cast<std::uint32_t>(graph.nodes.size() + graph.pruned.size())};
    PrunedNode& node = graph.pruned.emplace_back();
    node.id = written.id;
    node.op = written.op;
    for (const std::uint32_t input : edges.InputsOf(position)) {
      node.inputs.push_back(static_cast<std::uint32_t>(numbers[input]));
    }
  }
}

}  // namespace

std::shared_ptr<const Graph> AssembleGraph(const Plan& plan, const PlanEdges& edges,
                                           const std::vector<std::uint32_t>& order,
                                           const std::vector<bool>& needed,
                                           std::vector<CompiledNode>& compiled) {
  auto graph = std::make_shared<Graph>();
  FillInterface(plan, *graph);
  std::vector<NodeId> numbers(plan.nodes.size());
  graph->nodes.reserve(static_cast<std::size_t>(std::ranges::count(needed, true)));
  for (const std::uint32_t position : order) {
    if (!needed[position]) continue;
    numbers[position] = NodeId{static_cast<std::uint32_t>(graph->nodes.size())};
    graph->needs_user_id = graph->needs_user_id || compiled[position].needs_user_id;
    GraphNode& node = graph->nodes.emplace_back(MakeNode(plan.nodes[position], compiled[position]));
    for (const std::uint32_t input : edges.InputsOf(position)) {
      node.inputs.push_back(numbers[input]);
      ++graph->nodes[Index(numbers[input])].consumers;
    }
  }
  for (const std::uint32_t output : edges.outputs) {
    graph->outputs.push_back(numbers[output]);
    ++graph->nodes[Index(numbers[output])].consumers;
  }
  KeepPruned(plan, edges, order, needed, numbers, *graph);
  graph->topology = MakeTopology(graph->nodes);
  return graph;
}

}  // namespace rankd
