#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/graph/assembly.h"
#include "engine/graph/graph.h"
#include "engine/graph/key_flow.h"
#include "engine/graph/plan_edges.h"
#include "engine/graph/plan_order.h"
#include "engine/graph/suggestions.h"
#include "engine/graph/task_builder.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

/// One for each node; nullptr for an op that is not known.
std::vector<const TaskSpec*> FindSpecs(const Plan& plan, const TaskCatalog& catalog,
                                       Problems& problems) {
  Suggestions ops([&] {
    std::vector<std::string_view> names;
    for (const TaskSpec& spec : catalog.all()) names.push_back(spec.op);
    return names;
  });
  std::vector<const TaskSpec*> specs;
  specs.reserve(plan.nodes.size());
  for (const PlanNode& node : plan.nodes) {
    specs.push_back(node.op.empty() ? nullptr : catalog.Find(node.op));
    if (specs.back() == nullptr && !node.op.empty()) {
      problems.Add(JsonPointer("/nodes", node.index) + "/op",
                   "unknown op " + JsonQuoted(node.op) + ops.DidYouMean(node.op));
    }
  }
  return specs;
}

/// Makes the node's task; leaves it out when there is any problem with it.
CompiledNode CompileNode(BuildScope& scope, const PlanNode& node, const TaskSpec& spec,
                         std::size_t input_count) {
  const std::size_t errors_before = scope.problems.error_count();
  PlanTaskBuilder builder(scope, node, spec, input_count);
  CompiledNode compiled;
  compiled.task = spec.make(builder);
  builder.RefuseOtherParams();
  const bool sound = scope.problems.error_count() == errors_before;
  // Silence is right where an entry of a table is to blame, which has been told of; a task that is
  // left out without any problem is a mistake of its factory.
  if (compiled.task == nullptr && !scope.problems.has_errors()) {
    builder.Problem("", "the params of " + JsonQuoted(spec.op) + " make no task");
  }
  if (!sound) compiled.task.reset();
  compiled.expressions = builder.TakeExpressions();
  compiled.endpoints = builder.TakeEndpoints();
  compiled.needs_user_id = builder.needs_user_id();
  return compiled;
}

std::vector<CompiledNode> CompileNodes(const Plan& plan, const EndpointTable& endpoints,
                                       const std::vector<const TaskSpec*>& specs,
                                       const PlanEdges& edges, Problems& problems) {
  BuildScope scope(plan, endpoints, problems);
  std::vector<CompiledNode> compiled(plan.nodes.size());
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& node = plan.nodes[i];
    if (specs[i] == nullptr || node.params_broken) continue;
    compiled[i] = CompileNode(scope, node, *specs[i], edges.InputsOf(i).size());
  }
  return compiled;
}

/// The nodes of a cycle in order, the first again at the end. Long ones are cut in the middle.
std::string CycleText(const Plan& plan, const std::vector<std::uint32_t>& cycle) {
  constexpr std::size_t kShown = 64;
  constexpr std::size_t kShownLast = 4;
  std::string text = "cycle: ";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > kShown && i == kShown - kShownLast) {
      const std::size_t left_out = cycle.size() - kShown;
      text += "… (" + std::to_string(left_out) + " more) -> ";
      i += left_out;
    }
    text += std::string(plan.nodes[cycle[i]].id) + " -> ";
  }
  return text + std::string(plan.nodes[cycle.front()].id);
}

void ReportCycles(const Plan& plan, const PlanEdges& edges, const std::vector<std::uint32_t>& order,
                  Problems& problems) {
  for (const std::vector<std::uint32_t>& cycle : FindCycles(edges, order)) {
    const std::span<const std::uint32_t> inputs = edges.InputsOf(cycle.front());
    std::size_t input = 0;
    while (inputs[input] != cycle.back()) ++input;
    problems.Add(InputPointer(plan.nodes[cycle.front()], input), CycleText(plan, cycle));
  }
}

std::vector<bool> FindNeeded(const Plan& plan, const PlanEdges& edges) {
  std::vector<std::uint32_t> effects;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (plan.nodes[i].effect) effects.push_back(i);
  }
  return NeededNodes(edges, std::move(effects));
}

void WarnOfPruned(const Plan& plan, const std::vector<bool>& needed, Problems& problems) {
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (needed[i] || plan.nodes[i].id.empty()) continue;
    problems.Warn(
        JsonPointer("/nodes", plan.nodes[i].index),
        "node " + JsonQuoted(plan.nodes[i].id) + " is needed by no output and will not run");
  }
}

std::vector<const Task*> TasksOf(const std::vector<CompiledNode>& compiled) {
  std::vector<const Task*> tasks;
  tasks.reserve(compiled.size());
  for (const CompiledNode& node : compiled) tasks.push_back(node.task.get());
  return tasks;
}

}  // namespace

std::shared_ptr<const Graph> BuildGraph(const Plan& plan, const TaskCatalog& catalog,
                                        const EndpointTable& endpoints, Problems& problems) {
  const std::vector<const TaskSpec*> specs = FindSpecs(plan, catalog, problems);
  // Without nodes, which is a problem already, each output would be blamed for naming none.
  if (plan.nodes.empty()) return nullptr;
  const PlanEdges edges = ResolveEdges(plan, specs, problems);
  const std::vector<std::uint32_t> order = TopologicalOrder(edges);
  ReportCycles(plan, edges, order, problems);

  std::vector<CompiledNode> compiled = CompileNodes(plan, endpoints, specs, edges, problems);
  CheckKeyFlow(plan, edges, order, TasksOf(compiled), problems);

  const std::vector<bool> needed = FindNeeded(plan, edges);
  // With a name misspelt, what it should have named would be warned of: not what is wrong.
  if (edges.all_resolved && !plan.outputs.empty()) WarnOfPruned(plan, needed, problems);
  if (problems.has_errors()) return nullptr;
  return AssembleGraph(plan, edges, order, needed, compiled);
}

}  // namespace rankd
