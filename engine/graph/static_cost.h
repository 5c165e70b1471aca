// What nodes cost as far as their params tell, and the dearest way through a graph by that measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/graph/graph.h"

namespace rankd {

/// Compared and summed member by member: a round trip outweighs any CPU work.
struct StaticCost {
  std::size_t round_trips = 0;  ///< To a store, one after the other.
  double cpu_ns = 0;            ///< Each node taking kCostRows rows.
  std::size_t nodes = 0;

  StaticCost& operator+=(const StaticCost& other);
  /// False for equal costs; neither is NaN.
  bool operator<(const StaticCost& other) const;
};

/// The rows a node is taken to have in all its inputs together.
inline constexpr std::size_t kCostRows = 1000;

/// Of a node with bodies: without them.
StaticCost CostOf(const GraphNode& node);

/// From a node to one of a greater number that comes after it.
struct Step {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

struct LongestPath {
  std::vector<std::uint32_t> nodes;  ///< From a source to a node that nothing takes.
  StaticCost cost;
};

/// The way through the graph of the greatest cost: most round trips; of those most CPU work; of
/// those most nodes; of those the one that ends first and takes the first of a node's steps. Empty
/// for a graph without nodes only. `steps` are sorted by `to`. O(nodes + steps).
LongestPath FindLongestPath(std::span<const StaticCost> costs, std::span<const Step> steps);

}  // namespace rankd
