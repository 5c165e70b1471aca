#include "engine/graph/static_schedule.h"

#include <algorithm>
#include <utility>

#include "engine/graph/graph.h"
#include "engine/graph/scheduler.h"

namespace rankd {
namespace {

bool MayWait(const Graph& graph) {
  return !graph.imports.empty() || graph.topology.lazy_count > 0 ||
         std::ranges::any_of(graph.nodes, [](const GraphNode& node) {
           return node.cpu_task == nullptr || MayRecover(node);
         });
}

}  // namespace

StaticSchedule::StaticSchedule(const Graph& graph, std::span<const std::uint32_t> consumers) {
  if (graph.nodes.empty() || MayWait(graph)) return;
  size_ = graph.nodes.size();
  steps_.reserve(size_ + kAhead);
  edges_before_.reserve(size_ + 1);
  edges_before_.push_back(0);
  std::vector<std::uint32_t> left(consumers.begin(), consumers.end());
  Scheduler scheduler;
  ReadyStack ready;
  scheduler.Start(graph.topology, ready);
  while (!ready.empty()) {
    const NodeId id = ready.Pop();
    const GraphNode& node = graph.nodes[Index(id)];
    const CpuCost cost = node.cpu_task->cost();
    steps_.push_back({.task = node.cpu_task,
                      .fixed_ns = static_cast<float>(cost.fixed_ns),
                      .ns_per_row = static_cast<float>(cost.ns_per_row),
                      .node = id,
                      .input_begin = static_cast<std::uint32_t>(inputs_.size()),
                      .drop_begin = static_cast<std::uint32_t>(drops_.size()),
                      .placement = node.cpu_task->placement(),
                      .has_expressions = !node.expressions.empty()});
    for (const NodeId input : node.inputs) inputs_.emplace_back(input, left[Index(input)] == 1);
    for (const NodeId input : node.inputs) {
      if (--left[Index(input)] == 0) drops_.push_back(input);
    }
    if (left[Index(id)] == 0) drops_.push_back(id);
    edges_before_.push_back(edges_before_.back() + scheduler.Finished(id, ready));
  }
  steps_.resize(size_ + kAhead, {.input_begin = static_cast<std::uint32_t>(inputs_.size()),
                                 .drop_begin = static_cast<std::uint32_t>(drops_.size())});
}

}  // namespace rankd
