// What there is to tell of one node by itself, for Explain.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/data/schema.h"
#include "engine/graph/explain.h"
#include "engine/graph/graph.h"

namespace rankd {

/// Numbers the endpoints in the order in which nodes name them.
class NodeExplainer {
 public:
  /// `scope` and `endpoints`, the list that is filled, outlive it.
  NodeExplainer(const ExplainScope& scope, std::vector<EndpointExplanation>& endpoints)
      : scope_(scope), endpoints_(endpoints) {}

  /// All but what depends on where the node stands: its id is the one it has there, `required`
  /// counts its inputs and the demand for a lazy one.
  NodeExplanation Explain(const GraphNode& node, const Schema& schema);

 private:
  std::uint32_t EndpointNumber(EndpointId id);

  const ExplainScope& scope_;
  std::vector<EndpointExplanation>& endpoints_;
  std::unordered_map<std::size_t, std::uint32_t> numbers_;
};

}  // namespace rankd
