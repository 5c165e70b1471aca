// The last step of building: a sound plan's parts become an immutable Graph.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/expr/expression.h"
#include "engine/graph/graph.h"
#include "engine/graph/plan_edges.h"
#include "engine/plan/plan.h"
#include "engine/task/task.h"

namespace rankd {

/// A node with its params read.
struct CompiledNode {
  std::unique_ptr<const Task> task;  ///< Nullptr when there is a problem.
  std::vector<ExpressionRef> expressions;
  std::vector<EndpointId> endpoints;
  bool needs_user_id = false;
};

/// `order` holds every node; `needed` tells which are kept. What `compiled` holds is moved out.
std::shared_ptr<const Graph> AssembleGraph(const Plan& plan, const PlanEdges& edges,
                                           const std::vector<std::uint32_t>& order,
                                           const std::vector<bool>& needed,
                                           std::vector<CompiledNode>& compiled);

}  // namespace rankd
