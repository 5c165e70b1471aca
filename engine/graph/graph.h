// A validated plan, ready to run: dense node numbers, CSR edges, compiled tasks. Immutable, shared
// by all requests and loops.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/data/schema.h"
#include "engine/expr/expression.h"
#include "engine/graph/topology.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/failure_policy.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_interface.h"
#include "engine/plan/problem.h"
#include "engine/task/spec.h"

namespace rankd {

/// One node that some output (or an effect) needs.
struct GraphNode {
  std::string id;
  std::string op;
  std::string trace;
  std::unique_ptr<const Task> task;
  const AsyncTask* async_task = nullptr;  ///< Exactly one of the two is set: `task`, typed.
  const CpuTask* cpu_task = nullptr;
  std::vector<NodeId> inputs;
  std::vector<ExpressionRef> expressions;            ///< By ExpressionSlot.
  std::vector<EndpointId> endpoints;                 ///< Those its params name, without repeats.
  std::optional<std::chrono::milliseconds> timeout;  ///< 0: none, whatever the flags say.
  std::optional<RetryPolicy> retry;
  OnError on_error = OnError::kFail;
  std::uint32_t consumers = 0;  ///< Edges out, plus one for each time it is an output.
  bool effect = false;          ///< It runs whether or not an output needs it.
};

/// One node that nothing needs: it never runs, and is kept to be told of.
struct PrunedNode {
  std::string id;
  std::string op;
  /// Its inputs: a number below Graph::nodes' size is that node, a greater one counts on into
  /// Graph::pruned.
  std::vector<std::uint32_t> inputs;
};

/// Whether a failure of the node is not the end of the run in any case.
inline bool MayRecover(const GraphNode& node) {
  return node.retry.has_value() || node.on_error != OnError::kFail;
}

struct Graph : PlanInterface {
  Topology topology;
  std::vector<GraphNode> nodes;    ///< In topological order; pruned nodes are not here.
  std::vector<NodeId> outputs;     ///< In the plan's order; may repeat.
  std::vector<PrunedNode> pruned;  ///< In topological order.
};

/// Resolves and checks everything a plan names and compiles it. Nullptr when `problems` has errors
/// (those found before count). Never recurses over the graph.
std::shared_ptr<const Graph> BuildGraph(const Plan& plan, const TaskCatalog& catalog,
                                        const EndpointTable& endpoints, Problems& problems);

}  // namespace rankd
