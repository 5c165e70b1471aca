#include "engine/graph/lowering.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/graph/chains.h"

namespace rankd {
namespace {

/// Bytes of a path that count as one node more.
constexpr std::size_t kPathBytesPerNode = 256;

std::uint32_t Size(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

}  // namespace

void Lowering::AddPlan(const Graph& graph) {
  Scope scope;
  scope.graph = &graph;
  if (NeedsCaller(graph)) {
    scope.giver = Size(explained_.nodes);
    NodeExplanation& input = explained_.nodes.emplace_back();
    input.id = "$in";
    input.op = "input";
    input.role = NodeRole::kInput;
    input.runs_on = RunsOn::kInline;
    costs_.emplace_back();
  }
  explained_.nodes.reserve(explained_.nodes.size() + graph.nodes.size());
  AddGraph(scope);
  for (const NodeId output : graph.outputs) {
    const std::uint32_t number = SourceOf(scope, output).node;
    explained_.nodes[number].outputs.push_back(Size(explained_.outputs));
    explained_.outputs.push_back(number);
  }
  NumberChains();
  SortEdges();
}

void Lowering::AddGraph(Scope& scope) {
  scope.ends.reserve(scope.graph->nodes.size());
  for (const GraphNode& node : scope.graph->nodes) {
    const std::uint32_t number = AddNode(scope, node);
    scope.ends.push_back(node.region == nullptr ? number : AddBodies(scope, node, number));
  }
  AddPruned(scope);
  AddChains(scope);
}

std::uint32_t Lowering::AddNode(const Scope& scope, const GraphNode& node) {
  const std::uint32_t number = Size(explained_.nodes);
  NodeExplanation explained = explainer_.Explain(node, *scope.graph->schema);
  explained.id = PathOf(scope.body) + node.id;
  if (scope.body != kNone) explained.body = scope.body;
  explained_.nodes.push_back(std::move(explained));
  costs_.push_back(CostOf(node));
  AddInputs(scope, node.inputs, number);
  return number;
}

template <typename Inputs>
void Lowering::AddInputs(const Scope& scope, const Inputs& inputs, std::uint32_t node) {
  bool started = scope.body == kNone || explained_.nodes[node].lazy;
  for (const NodeId input : inputs) {
    const Source source = SourceOf(scope, input);
    AddEdge(source.node, node, source.kind);
    started = started || source.starts;
  }
  if (started) return;
  AddEdge(scope.giver, node, EdgeKind::kContinue);
  ++explained_.nodes[node].required;
}

Lowering::Source Lowering::SourceOf(const Scope& scope, NodeId input) const {
  const Graph& graph = *scope.graph;
  if (Index(input) < graph.nodes.size()) {
    return {scope.ends[Index(input)], EdgeKind::kForward, true};
  }
  const Import& import = graph.imports[Index(input) - graph.nodes.size()].import;
  const Scope* around = &scope;
  for (std::uint32_t i = 0; i < import.levels; ++i) around = around->outer;
  if (import.kind == ImportKind::kNode) {
    return {around->ends[Index(import.node)], EdgeKind::kForward, false};
  }
  const bool own = around == &scope;
  const bool from_head = own && scope.body != kNone;
  return {around->giver, from_head ? EdgeKind::kContinue : EdgeKind::kForward, own};
}

std::uint32_t Lowering::AddBodies(const Scope& scope, const GraphNode& node, std::uint32_t head) {
  RegionOutline outline = node.region->Outline();
  const bool shown =
      !outline.calls || TakeRoom(*node.bodies.front(), explained_.nodes[head].id.size());
  if (!shown) outline.details.emplace_back("too large to be shown");
  explained_.nodes[head].details = std::move(outline.details);
  if (!shown) return head;
  explained_.nodes[head].role = NodeRole::kHead;
  std::vector<std::uint32_t> body_ends;
  for (std::size_t i = 0; i < node.bodies.size(); ++i) {
    body_ends.push_back(
        AddBody(scope, *node.bodies[i], head, outline.body_names[i], outline.calls));
  }
  const std::uint32_t join = AddJoin(PathOf(scope.body) + node.id + "[end]", scope.body);
  explained_.nodes[join].required = 1;
  explained_.nodes[join].per_item = outline.shape == RegionShape::kEach;
  for (const std::uint32_t end : body_ends) {
    if (outline.shape == RegionShape::kLoop) {
      back_.push_back({end, head, EdgeKind::kBack});
      loop_ends_.push_back({end, join});
    } else {
      AddEdge(end, join, EdgeKind::kForward);
    }
  }
  if (outline.may_skip) AddEdge(head, join, EdgeKind::kBreak);
  return join;
}

std::uint32_t Lowering::AddBody(const Scope& scope, const Graph& graph, std::uint32_t head,
                                std::string_view name, bool called) {
  Scope inside;
  inside.graph = &graph;
  inside.outer = called ? nullptr : &scope;
  inside.giver = head;
  inside.body = Size(explained_.bodies);
  BodyExplanation body;
  body.path = explained_.nodes[head].id;
  if (!name.empty()) body.path += "[" + std::string(name) + "]";
  body.path += "/";
  if (called) body.plan = graph.name;
  body.head = head;
  body.outer = explained_.nodes[head].body;
  body.first = Size(explained_.nodes);
  explained_.bodies.push_back(std::move(body));
  AddGraph(inside);
  const std::uint32_t end = AddOutputs(inside);
  explained_.bodies[inside.body].end = Size(explained_.nodes);
  return end;
}

std::uint32_t Lowering::AddOutputs(const Scope& scope) {
  const std::vector<NodeId>& outputs = scope.graph->outputs;
  if (outputs.size() == 1 && Index(outputs.front()) < scope.graph->nodes.size()) {
    return scope.ends[Index(outputs.front())];
  }
  const std::uint32_t join = AddJoin(PathOf(scope.body) + "[out]", scope.body);
  explained_.nodes[join].required = Size(outputs);
  AddInputs(scope, outputs, join);
  return join;
}

std::uint32_t Lowering::AddJoin(std::string id, std::uint32_t body) {
  NodeExplanation& join = explained_.nodes.emplace_back();
  join.id = std::move(id);
  join.op = "join";
  join.role = NodeRole::kJoin;
  join.runs_on = RunsOn::kInline;
  if (body != kNone) join.body = body;
  costs_.push_back({.nodes = 1});  // so that a path goes on to it
  return Size(explained_.nodes) - 1;
}

const std::string& Lowering::PathOf(std::uint32_t body) const {
  return body == kNone ? no_path_ : explained_.bodies[body].path;
}

bool Lowering::TakeRoom(const Graph& graph, std::size_t path_bytes) {
  const std::size_t size = SizeOf(graph) * (1 + path_bytes / kPathBytesPerNode);
  if (size > kMaxCalledNodes - called_nodes_) return false;
  called_nodes_ += size;
  return true;
}

std::size_t Lowering::SizeOf(const Graph& graph) {
  if (const auto known = sizes_.find(&graph); known != sizes_.end()) return known->second;
  std::size_t size = graph.nodes.size() + graph.pruned.size() + 1;
  for (const GraphNode& node : graph.nodes) {
    if (node.region == nullptr || node.region->Outline().calls) continue;
    for (const auto& body : node.bodies) size += SizeOf(*body) + 1;
  }
  sizes_.emplace(&graph, size);
  return size;
}

void Lowering::AddPruned(const Scope& scope) {
  const Graph& graph = *scope.graph;
  const std::uint32_t first = Size(explained_.pruned);
  for (const PrunedNode& node : graph.pruned) {
    const std::uint32_t number = Size(explained_.pruned);
    for (const std::uint32_t input : node.inputs) {
      const bool from_pruned = input >= graph.nodes.size();
      const std::uint32_t from =
          from_pruned ? first + input - Size(graph.nodes) : scope.ends[input];
      into_pruned_.push_back({from, from_pruned, number});
    }
    explained_.pruned.push_back({PathOf(scope.body) + node.id, node.op});
  }
}

void Lowering::AddChains(const Scope& scope) {
  for (const std::vector<NodeId>& chain : FindChains(*scope.graph)) {
    std::vector<std::uint32_t>& numbers = explained_.chains.emplace_back();
    for (const NodeId node : chain) numbers.push_back(scope.ends[Index(node)]);
  }
}

void Lowering::NumberChains() {
  std::ranges::sort(explained_.chains, {}, [](const auto& chain) { return chain.front(); });
  for (std::uint32_t i = 0; i < explained_.chains.size(); ++i) {
    for (const std::uint32_t node : explained_.chains[i]) explained_.nodes[node].chain = i;
  }
}

void Lowering::SortEdges() {
  std::vector<EdgeExplanation>& edges = explained_.edges;
  if (!back_.empty()) {
    // Heads are numbered before what their bodies hold, so that these are in order already.
    std::ranges::sort(back_, {}, &EdgeExplanation::to);
    std::vector<EdgeExplanation> merged;
    merged.reserve(edges.size() + back_.size());
    std::ranges::merge(edges, back_, std::back_inserter(merged), {}, &EdgeExplanation::to,
                       &EdgeExplanation::to);
    edges = std::move(merged);
  }
  const std::uint32_t nodes = Size(explained_.nodes);
  for (const PrunedEdge& edge : into_pruned_) {
    AddEdge(edge.from_pruned ? nodes + edge.from : edge.from, nodes + edge.to, EdgeKind::kForward);
  }
}

std::vector<Step> Lowering::Steps() const {
  std::vector<Step> steps;
  steps.reserve(explained_.edges.size() + loop_ends_.size());
  std::size_t loop = 0;
  for (const EdgeExplanation& edge : explained_.edges) {
    if (edge.to >= explained_.nodes.size()) break;
    if (edge.kind == EdgeKind::kBack) continue;
    // The only edge to a loop's join is the one from its head.
    if (loop < loop_ends_.size() && loop_ends_[loop].join == edge.to) {
      steps.push_back({loop_ends_[loop++].body_end, edge.to});
    }
    steps.push_back({edge.from, edge.to});
  }
  return steps;
}

}  // namespace rankd
