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
  if (node.cpu_task != nullptr) {
    return {.cpu_ns = node.cpu_task->cost().Of(kCostRows), .nodes = 1};
  }
  return {.nodes = 1};
}

LongestPath FindLongestPath(std::span<const StaticCost> costs, std::span<const Step> steps) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  LongestPath path;
  if (costs.empty()) return path;
  // Per node: the greatest cost of a way that ends with it, and where that came from.
  std::vector<StaticCost> cost(costs.size());
  std::vector<std::uint32_t> before(costs.size(), kNone);
  std::uint32_t last = 0;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < costs.size(); ++i) {
    for (; at < steps.size() && steps[at].to == i; ++at) {
      const std::uint32_t from = steps[at].from;
      if (before[i] != kNone && !(cost[i] < cost[from])) continue;
      cost[i] = cost[from];
      before[i] = from;
    }
    cost[i] += costs[i];
    if (cost[last] < cost[i]) last = i;
  }
  path.cost = cost[last];
  for (std::uint32_t i = last; i != kNone; i = before[i]) path.nodes.push_back(i);
  std::ranges::reverse(path.nodes);
  return path;
}

}  // namespace rankd
