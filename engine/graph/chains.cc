#include "engine/graph/chains.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace rankd {
namespace {

bool MayLeaveLoop(const GraphNode& node) {
  return node.cpu_task != nullptr && node.cpu_task->placement() != Placement::kInline &&
         !MayRecover(node);
}

/// The node that follows in a chain, if any.
std::optional<NodeId> Next(const Graph& graph, NodeId node) {
  const std::span<const NodeId> successors = graph.topology.SuccessorsOf(node);
  if (successors.empty() || !MayLeaveLoop(graph.nodes[Index(node)])) return std::nullopt;
  const NodeId next = successors.front();
  // As many edges to it as it needs, and as many as leave `node`: there are no others.
  const std::size_t required = graph.topology.required[Index(next)];
  if (successors.size() != required || graph.nodes[Index(node)].consumers != required) {
    return std::nullopt;
  }
  for (const NodeId successor : successors) {
    if (successor != next) return std::nullopt;
  }
  return MayLeaveLoop(graph.nodes[Index(next)]) ? std::optional(next) : std::nullopt;
}

}  // namespace

std::vector<std::vector<NodeId>> FindChains(const Graph& graph) {
  std::vector<std::vector<NodeId>> chains;
  // A node of a chain is the next of one node only, which stands before it in the order.
  std::vector<bool> inside(graph.nodes.size(), false);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (inside[i]) continue;
    std::optional<NodeId> next = Next(graph, NodeId{i});
    if (!next) continue;
    std::vector<NodeId>& chain = chains.emplace_back(1, NodeId{i});
    for (; next; next = Next(graph, *next)) {
      inside[Index(*next)] = true;
      chain.push_back(*next);
    }
  }
  return chains;
}

}  // namespace rankd
