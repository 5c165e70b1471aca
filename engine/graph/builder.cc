#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/graph/assembly.h"
#include "engine/graph/called_plans.h"
#include "engine/graph/graph.h"
#include "engine/graph/key_flow.h"
#include "engine/graph/plan_edges.h"
#include "engine/graph/plan_order.h"
#include "engine/graph/task_builder.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

/// The nodes of a cycle in order, the first again at the end. Long ones are cut in the middle.
std::string CycleText(const PlanBody& body, const std::vector<std::uint32_t>& cycle) {
  constexpr std::size_t kShown = 64;
  constexpr std::size_t kShownLast = 4;
  std::string text = "cycle: ";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > kShown && i == kShown - kShownLast) {
      const std::size_t left_out = cycle.size() - kShown;
      text += "… (" + std::to_string(left_out) + " more) -> ";
      i += left_out;
    }
    text += std::string(body.nodes[cycle[i]].id) + " -> ";
  }
  return text + std::string(body.nodes[cycle.front()].id);
}

void ReportCycles(const CompiledBody& compiled, Problems& problems) {
  const PlanEdges& edges = *compiled.edges;
  for (const std::vector<std::uint32_t>& cycle : FindCycles(edges, compiled.order)) {
    const std::span<const std::uint32_t> before = edges.DependenciesOf(cycle.front());
    std::size_t dependency = 0;
    while (before[dependency] != cycle.back()) ++dependency;
    problems.Add(DependencyPointer(*compiled.body, edges, cycle.front(), dependency),
                 CycleText(*compiled.body, cycle));
  }
}

/// Makes the node's task; leaves it out when there is any problem with it.
CompiledNode CompileNode(BuildScope& scope, const PlanBody& body, const BodyNames& names,
                         const PlanNode& node, const TaskSpec& spec, std::size_t input_count) {
  const std::size_t errors_before = scope.problems.error_count();
  PlanTaskBuilder builder(scope, body, names, node, spec, input_count);
  CompiledNode compiled;
  compiled.task = spec.make(builder);
  builder.RefuseOtherParams();
  const bool sound = scope.problems.error_count() == errors_before;
  // Silence is right where an entry of a table, a body or a called plan is to blame, which has been
  // told of; a task that is left out without any problem is a mistake of its factory.
  if (compiled.task == nullptr && !scope.problems.has_errors()) {
    builder.Problem("", "the params of " + JsonQuoted(spec.op) + " make no task");
  }
  if (!sound) compiled.task.reset();
  compiled.expressions = builder.TakeExpressions();
  compiled.endpoints = builder.TakeEndpoints();
  compiled.needs_user_id = builder.needs_user_id();
  compiled.called = builder.called();
  return compiled;
}

BodyNames NamesInside(const PlanBody& body, BodyNames names) {
  if (!body.loop_variable.empty()) names.loop_variables.emplace_back(body.loop_variable);
  names.error_variables = names.error_variables || body.has_error;
  return names;
}

CompiledBody CompileBody(BuildScope& scope, const PlanBody& body, const PlanEdges& edges,
                         const BodyNames& names) {
  CompiledBody compiled;
  compiled.body = &body;
  compiled.edges = &edges;
  compiled.order = TopologicalOrder(edges);
  ReportCycles(compiled, scope.problems);
  compiled.nodes.resize(body.nodes.size());
  for (std::uint32_t i = 0; i < body.nodes.size(); ++i) {
    const PlanNode& node = body.nodes[i];
    if (edges.specs[i] == nullptr || node.params_broken) continue;
    compiled.nodes[i] =
        CompileNode(scope, body, names, node, *edges.specs[i], edges.InputsOf(i).size());
  }
  std::vector<const Task*> tasks;
  tasks.reserve(compiled.nodes.size());
  for (const CompiledNode& node : compiled.nodes) tasks.push_back(node.task.get());
  CheckKeyFlow(body, edges, compiled.order, tasks, scope.schema, scope.problems);

  for (const NodeBodies& node : edges.bodies) {
    std::vector<CompiledBody>& bodies = compiled.bodies.emplace_back();
    for (std::size_t i = 0; i < node.bodies.size(); ++i) {
      const PlanBody& inside = body.nodes[node.node].bodies[i];
      bodies.push_back(CompileBody(scope, inside, node.bodies[i], NamesInside(inside, names)));
    }
  }
  return compiled;
}

void WarnOfPruned(const CompiledBody& compiled, Problems& problems) {
  const std::vector<PlanNode>& nodes = compiled.body->nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (compiled.needed[i] || nodes[i].id.empty()) continue;
    problems.Warn(compiled.body->NodePointer(nodes[i]),
                  "node " + JsonQuoted(nodes[i].id) + " is needed by no output and will not run");
  }
  for (std::size_t i = 0; i < compiled.bodies.size(); ++i) {
    if (!compiled.needed[compiled.edges->bodies[i].node]) continue;
    for (const CompiledBody& inside : compiled.bodies[i]) WarnOfPruned(inside, problems);
  }
}

using Calls = std::map<std::string, CalledPlan, std::less<>>;

std::shared_ptr<const Graph> BuildOne(const Plan& plan, std::shared_ptr<const Schema> schema,
                                      const Calls& calls, const TaskCatalog& catalog,
                                      const EndpointTable& endpoints, Problems& problems) {
  // Without nodes, which is a problem already, each output would be blamed for naming none.
  if (plan.nodes.empty()) return nullptr;
  const PlanEdges edges = ResolveEdges(plan, catalog, problems);
  BuildScope scope(plan, *schema, endpoints, calls, problems);
  CompiledBody compiled = CompileBody(scope, plan, edges, BodyNames());
  FindNeeded(compiled);
  // With a name misspelt, what it should have named would be warned of: not what is wrong.
  if (edges.all_resolved && !plan.outputs.empty()) WarnOfPruned(compiled, problems);
  if (problems.has_errors()) return nullptr;
  return AssembleGraph(plan, std::move(schema), compiled);
}

}  // namespace

std::shared_ptr<const Graph> BuildGraph(const Plan& plan, const TaskCatalog& catalog,
                                        const EndpointTable& endpoints, PlanSource* plans,
                                        Problems& problems) {
  const CalledPlans called(plan, plans);
  Calls calls;
  for (const auto& [name, reason] : called.refused()) {
    calls.emplace(name, CalledPlan{nullptr, nullptr, reason});
  }
  for (const CalledPlans::Entry& entry : called.all()) {
    CalledPlan built{entry.schema, nullptr, {}};
    Problems of_callee;
    built.graph = BuildOne(*entry.plan, entry.schema, calls, catalog, endpoints, of_callee);
    if (built.graph == nullptr) built.refused = RefusedFor(entry.name, of_callee);
    calls.insert_or_assign(entry.name, std::move(built));
  }
  return BuildOne(plan, called.root_schema(), calls, catalog, endpoints, problems);
}

}  // namespace rankd
