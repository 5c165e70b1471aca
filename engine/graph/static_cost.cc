#include "engine/graph/static_cost.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>

namespace rankd {

StaticCost& StaticCost::operator+=(const StaticCost& other) {
  round_trips += other.round_trips;
  cpu_ns += other.cpu_ns;
  nodes += other.nodes;
  return *this;
}

bool StaticCost::operator<(const StaticCost& other) const {
  return std::tie(round_trips, cpu_ns, nodes) <
         std::tie(other.round_trips, other.cpu_ns, other.nodes);
}

StaticCost CostOf(const GraphNode& node) {
  if (node.async_task != nullptr) return {.round_trips = node.async_task->RoundTrips(), .nodes = 1};
  return {.cpu_ns = node.cpu_task->EstimateCost(kCostRows), .nodes = 1};
}

LongestPath FindLongestPath(const Graph& graph) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  LongestPath path;
  if (graph.nodes.empty()) return path;
  // Per node: the greatest cost of a way that ends with it, and where that came from.
  std::vector<StaticCost> cost(graph.nodes.size());
  std::vector<std::uint32_t> before(graph.nodes.size(), kNone);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    for (const NodeId input : graph.nodes[i].inputs) {
      if (before[i] != kNone && !(cost[i] < cost[Index(input)])) continue;
      cost[i] = cost[Index(input)];
      before[i] = static_cast<std::uint32_t>(input);
    }
    cost[i] += CostOf(graph.nodes[i]);
    if (cost[last] < cost[i]) last = i;
  }
  path.cost = cost[last];
  for (std::uint32_t i = last; i != kNone; i = before[i]) path.nodes.push_back(NodeId{i});
  std::ranges::reverse(path.nodes);
  return path;
}

}  // namespace rankd
