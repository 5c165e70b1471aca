// What nodes cost as far as their params tell, and the dearest way through a graph by that measure.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/base/ids.h"
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

StaticCost CostOf(const GraphNode& node);

struct LongestPath {
  std::vector<NodeId> nodes;  ///< From a source to a node that nothing takes.
  StaticCost cost;
};

/// The way through the graph of the greatest cost: most round trips; of those most CPU work; of
/// those most nodes; of those the one that ends first and takes the first of a node's inputs. Empty
/// for a graph without nodes only. O(nodes + edges).
LongestPath FindLongestPath(const Graph& graph);

}  // namespace rankd
