// The last step of building: a sound plan's parts become an immutable Graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  std::shared_ptr<const Graph> called;  ///< Of a node that calls a plan.
};

/// A plan or a body with its nodes read.
struct CompiledBody {
  const PlanBody* body = nullptr;
  const PlanEdges* edges = nullptr;
  std::vector<std::uint32_t> order;               ///< Every node, each after what it depends on.
  std::vector<CompiledNode> nodes;                ///< By position.
  std::vector<std::vector<CompiledBody>> bodies;  ///< By position in PlanEdges::bodies.

  std::vector<bool> needed;    ///< By position: it is kept.
  std::vector<bool> eager;     ///< By position: an output or an effect needs it, not bodies alone.
  std::vector<bool> captured;  ///< By position: a body that is kept takes its rows.
};

/// Fills in what is needed, from the innermost bodies out.
void FindNeeded(CompiledBody& compiled);

/// What `compiled` holds is moved out.
std::shared_ptr<const Graph> AssembleGraph(const Plan& plan, std::shared_ptr<const Schema> schema,
                                           CompiledBody& compiled);

}  // namespace rankd
