#include "engine/graph/explain.h"

#include <utility>

#include "engine/graph/lowering.h"
#include "engine/graph/static_cost.h"

namespace rankd {
namespace {

void AddLongestPath(const Lowering& lowering, GraphExplanation& explained) {
  LongestPath path = FindLongestPath(lowering.costs(), lowering.Steps());
  explained.longest_path.round_trips = path.cost.round_trips;
  explained.longest_path.cpu_ns = path.cost.cpu_ns;
  explained.longest_path.nodes = std::move(path.nodes);
  for (const std::uint32_t node : explained.longest_path.nodes) {
    explained.nodes[node].on_longest_path = true;
  }
}

}  // namespace

std::string_view EdgeKindName(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kForward:
      return "FORWARD";
    case EdgeKind::kContinue:
      return "CONTINUE";
    case EdgeKind::kBreak:
      return "BREAK";
    case EdgeKind::kBack:
      return "BACK";
  }
  return "";
}

const std::string& GraphExplanation::IdOf(std::uint32_t node) const {
  return node < nodes.size() ? nodes[node].id : pruned[node - nodes.size()].id;
}

GraphExplanation Explain(const Graph& graph, const ExplainScope& scope) {
  GraphExplanation explained;
  explained.plan = graph.name;
  explained.needs_user_id = graph.needs_user_id;
  Lowering lowering(scope, explained);
  lowering.AddPlan(graph);
  AddLongestPath(lowering, explained);
  return explained;
}

}  // namespace rankd
