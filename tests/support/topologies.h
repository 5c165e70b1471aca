// Shapes of graphs without the nodes, for tests of what follows edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/graph/topology.h"

namespace rankd {

using InputLists = std::vector<std::vector<std::uint32_t>>;

inline Topology MakeTopology(const InputLists& inputs) {
  Topology topology;
  std::vector<std::vector<NodeId>> successors(inputs.size());
  for (std::uint32_t node = 0; node < inputs.size(); ++node) {
    topology.required.push_back(static_cast<std::uint32_t>(inputs[node].size()));
    if (inputs[node].empty()) topology.sources.push_back(NodeId{node});
    for (const std::uint32_t input : inputs[node]) successors[input].push_back(NodeId{node});
  }
  topology.successor_begin.push_back(0);
  for (const auto& list : successors) {
    topology.successors.insert(topology.successors.end(), list.begin(), list.end());
    topology.successor_begin.push_back(static_cast<std::uint32_t>(topology.successors.size()));
  }
  return topology;
}

/// A DAG whose edges go from lower to higher numbers; an input may be named twice.
inline InputLists RandomInputs(std::size_t nodes, std::mt19937& random) {
  InputLists inputs(nodes);
  for (std::size_t node = 1; node < nodes; ++node) {
    for (std::size_t i = 0, n = random() % 4; i < n; ++i) {
      inputs[node].push_back(static_cast<std::uint32_t>(random() % node));
    }
  }
  return inputs;
}

}  // namespace rankd
