#include "engine/graph/run_layout.h"

#include "engine/graph/chains.h"
#include "engine/graph/graph.h"

namespace rankd {
namespace {

/// Nodes of one job. The loop makes it ready in one go, a quarter of a microsecond a node, and
/// timers wait; what handing a longer chain over in parts costs is nothing beside its work.
constexpr std::size_t kLongestJob = 512;

}  // namespace

RunLayout MakeRunLayout(const Graph& graph) {
  RunLayout layout;
  layout.steps.reserve(graph.nodes.size());
  layout.consumers.reserve(graph.topology.node_count());
  for (const GraphNode& node : graph.nodes) {
    NodeStep& step = layout.steps.emplace_back();
    if (node.cpu_task != nullptr && !MayRecover(node)) {
      step.plain_cpu = node.cpu_task;
      const CpuCost cost = node.cpu_task->cost();
      step.fixed_ns = static_cast<float>(cost.fixed_ns);
      step.ns_per_row = static_cast<float>(cost.ns_per_row);
      step.placement = node.cpu_task->placement();
      step.has_expressions = !node.expressions.empty();
    }
    if (node.region != nullptr) layout.ends_with_outputs = false;
    step.input_begin = static_cast<std::uint32_t>(layout.inputs.size());
    step.input_count = static_cast<std::uint32_t>(node.inputs.size());
    for (const NodeId input : node.inputs) layout.inputs.emplace_back(input, false);
    layout.consumers.push_back(node.consumers);
  }
  for (const GraphImport& one : graph.imports) layout.consumers.push_back(one.consumers);
  for (const std::vector<NodeId>& chain : FindChains(graph)) {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      if ((i + 1) % kLongestJob == 0) continue;
      layout.steps[Index(chain[i])].next_in_chain = static_cast<std::uint32_t>(chain[i + 1]);
    }
  }
  layout.schedule = StaticSchedule(graph, layout.consumers);
  return layout;
}

}  // namespace rankd
