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
#include "engine/graph/import.h"
#include "engine/graph/run_layout.h"
#include "engine/graph/topology.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/failure_policy.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_files.h"
#include "engine/plan/plan_interface.h"
#include "engine/plan/problem.h"
#include "engine/region/region.h"
#include "engine/task/spec.h"

namespace rankd {

struct Graph;

/// One node that some output (or an effect, or a body) needs.
struct GraphNode {
  std::string id;
  std::string op;
  std::string trace;
  std::unique_ptr<const Task> task;
  const AsyncTask* async_task = nullptr;  ///< Exactly one of the three is set: `task`, typed.
  const CpuTask* cpu_task = nullptr;
  const Region* region = nullptr;
  std::vector<NodeId> inputs;                        ///< Nodes, and imports after them.
  std::vector<ExpressionRef> expressions;            ///< By ExpressionSlot.
  std::vector<BoundExpression> bound;                ///< They, where that is the same for all runs.
  std::vector<EndpointId> endpoints;                 ///< Those its params name, without repeats.
  std::optional<std::chrono::milliseconds> timeout;  ///< 0: none, whatever the flags say.
  std::optional<RetryPolicy> retry;
  OnError on_error = OnError::kFail;
  /// Edges out, plus one for each time it is an output, plus one if a body captures it.
  std::uint32_t consumers = 0;
  bool effect = false;    ///< It runs whether or not an output needs it.
  bool captured = false;  ///< Bodies may ask for its rows as long as its scope lasts.
  bool lazy = false;      ///< Only bodies need it: it waits for the first that does.
  /// What a region runs; a called plan's graph may be shared with other nodes.
  std::vector<std::shared_ptr<const Graph>> bodies;
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

/// An import of a body, and how many edges and outputs take it.
struct GraphImport {
  Import import;
  std::uint32_t consumers = 0;
  bool lazy = false;  ///< Of a capture: only lazy nodes take it, so that it waits for one of them.
};

/// A plan, or a body. Numbers from nodes.size() on count `imports`, in the topology too, where each
/// requires the one edge from outside.
struct Graph : PlanInterface {
  Topology topology;
  RunLayout layout;
  std::vector<GraphNode> nodes;  ///< In topological order; pruned nodes are not here.
  std::vector<GraphImport> imports;
  std::vector<NodeId> outputs;     ///< In the plan's order; may repeat.
  std::vector<PrunedNode> pruned;  ///< In topological order.
};

/// Whether the plan is made to be called: it names `$in`, which a request does not give.
inline bool NeedsCaller(const Graph& graph) { return !graph.imports.empty(); }

/// Resolves and checks everything a plan names and compiles it, with the plans it calls, which come
/// from `plans` (nullptr: there are none). Nullptr when `problems` has errors (those found before
/// count). Recurses over bodies and calls, never over the nodes of one.
std::shared_ptr<const Graph> BuildGraph(const Plan& plan, const TaskCatalog& catalog,
                                        const EndpointTable& endpoints, PlanSource* plans,
                                        Problems& problems);

}  // namespace rankd
