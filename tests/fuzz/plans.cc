// Plan files: bytes to a graph over the built-in tasks, with a few plans to call. Whatever they
// are, the problems are sound, and there is a graph, itself sound, exactly when there are no
// errors.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/graph/explain.h"
#include "engine/graph/graph.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_files.h"
#include "engine/plan/registry.h"
#include "tasks/builtin.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/problems.h"

namespace rankd::fuzz {
namespace {

constexpr std::string_view kRegistry = R"({"keys":[
  {"id":1,"name":"id","type":"int","nullable":false,"allow_write":false},
  {"id":2001,"name":"score","type":"float","nullable":false,"default":0.0},
  {"id":2002,"name":"country","type":"string"},{"id":2003,"name":"age","type":"int"},
  {"id":2004,"name":"seen","type":"bool"},{"name":"old","type":"int","status":"deprecated"},
  {"name":"gone","type":"int","status":"blocked"},
  {"name":"fixed","type":"int","allow_write":false}],
  "params":[{"id":1,"name":"weight","type":"float","nullable":false},
  {"id":2,"name":"limit","type":"int","default":3},{"name":"pattern","type":"string"},
  {"name":"flag","type":"bool"}]})";
constexpr std::string_view kEndpoints = R"({"endpoints":[
  {"endpoint_id":"ep_0001","name":"redis_default","kind":"redis",
   "resolver":{"type":"static","host":"127.0.0.1","port":6379}}]})";

/// "shared" is called by "caller", and has a key and a param of its own; "broken" has problems,
/// "round" calls itself.
constexpr std::pair<std::string_view, std::string_view> kCallable[] = {
    {"shared", R"x({"schema_version":1,"plan_name":"shared","keys":{"rank":{"type":"int"}},
       "params":{"most":{"type":"int","nullable":false,"default":2}},
       "nodes":[{"node_id":"rank","op":"vm","inputs":["$in"],"params":{"out_key":"rank","expr":"1"}},
                {"node_id":"take","op":"take","inputs":["rank"],"params":{"count":{"expr":"P.most"}}}],
       "outputs":["take"]})x"},
    {"caller", R"x({"schema_version":1,"plan_name":"caller",
       "nodes":[{"node_id":"c","op":"call","inputs":["$in"],"params":{"plan":"shared",
                 "args":{"most":"count()"}}}],"outputs":["c","$in"]})x"},
    {"broken", R"x({"schema_version":1,"plan_name":"broken",
       "nodes":[{"node_id":"c","op":"no","inputs":["$in"]}],"outputs":["d"]})x"},
    {"round", R"x({"schema_version":1,"plan_name":"round",
       "nodes":[{"node_id":"c","op":"call","inputs":["$in"],"params":{"plan":"round"}}],
       "outputs":["c"]})x"},
};

struct Surroundings {
  Surroundings() {
    Problems problems;
    const Result<JsonDocument> registry_file = ParseJson(kRegistry);
    const Result<JsonDocument> endpoints_file = ParseJson(kEndpoints);
    Require(registry_file && endpoints_file, "the surroundings are no JSON");
    registry = ParseRegistry(registry_file->root(), problems);
    endpoints = ParseEndpoints(endpoints_file->root(), problems);
    Require(!problems.has_errors(), "the surroundings are not sound");
  }
  Schema registry;
  EndpointTable endpoints;
};

/// Plans that call nodes may name.
class Callable final : public PlanSource {
 public:
  explicit Callable(const Schema& registry) : registry_(registry) {}

  Result<std::unique_ptr<const Plan>> Load(std::string_view name, Problems& problems) override {
    for (const auto& [known, text] : kCallable) {
      if (known != name) continue;
      Result<JsonDocument> document = ParseJson(text);
      Require(document.has_value(), "a callable plan is no JSON");
      return ParsePlan(*std::move(document), registry_, name, problems);
    }
    return Fail(ErrorCode::kUnknownPlan, "no such plan");
  }

 private:
  const Schema& registry_;
};

/// The graphs around a body, from the innermost out; nullptr around a plan.
struct Around {
  const Graph& graph;
  const Around* outer;
};

void RequireSoundImports(const Graph& graph, const Around* outer) {
  for (std::size_t i = 0; i < graph.imports.size(); ++i) {
    const GraphImport& one = graph.imports[i];
    Require(one.consumers > 0, "an import that nobody takes");
    Require(graph.topology.required[graph.nodes.size() + i] == 1, "an import waits for one edge");
    if (one.import.kind != ImportKind::kNode) {
      Require(!one.lazy, "what comes with the body is lazy");
      continue;
    }
    const Around* scope = outer;
    Require(one.import.levels > 0, "a capture of the same body");
    for (std::uint32_t level = 1; level < one.import.levels; ++level) {
      Require(scope != nullptr, "a capture from outside the plan");
      scope = scope->outer;
    }
    Require(scope != nullptr, "a capture from outside the plan");
    Require(Index(one.import.node) < scope->graph.nodes.size(), "a capture of a node that is none");
    Require(scope->graph.nodes[Index(one.import.node)].captured, "a capture that is not marked");
  }
}

void RequireSound(const Graph& graph, const Around* outer);

void RequireSoundNode(const GraphNode& node, const Around& around) {
  const int tasks =
      int{node.async_task != nullptr} + int{node.cpu_task != nullptr} + int{node.region != nullptr};
  Require(tasks == 1, "not one task");
  if (node.cpu_task != nullptr) {
    const double cost = node.cpu_task->cost().Of(1000);
    Require(std::isfinite(cost) && cost >= 0, "a cost that is none");
  }
  Require((node.region != nullptr) != node.bodies.empty(), "bodies without a region, or none");
  Require(node.consumers > 0 || node.effect, "a node that nobody needs");
  Require(!node.lazy || (node.captured || node.consumers > 0), "lazy for nobody");
  if (node.region == nullptr) return;
  const RegionOutline outline = node.region->Outline();
  Require(outline.body_names.size() == node.bodies.size(), "bodies that are not told of");
  for (const auto& body : node.bodies) {
    Require(body != nullptr, "a body that is missing");
    RequireSound(*body, outline.calls ? nullptr : &around);
  }
}

std::size_t LazyCount(const Topology& topology) {
  return static_cast<std::size_t>(std::ranges::count(topology.lazy, true));
}

void RequireSoundTopology(const Graph& graph) {
  const Topology& topology = graph.topology;
  const std::size_t count = graph.nodes.size() + graph.imports.size();
  Require(topology.node_count() == count, "nodes without a place");
  Require(LazyCount(topology) == topology.lazy_count, "lazy nodes that are not counted");
  // Edges that leave, less edges that are waited for: zero in the end, whatever it was meanwhile.
  std::size_t edges = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool lazy = !topology.lazy.empty() && topology.lazy[i];
    for (const NodeId successor : topology.SuccessorsOf(NodeId{i})) {
      Require(Index(successor) < graph.nodes.size(), "an edge into an import");
      Require(i >= graph.nodes.size() || Index(successor) > i, "an edge that goes back");
      ++edges;
    }
    if (i >= graph.nodes.size()) {
      Require(lazy == graph.imports[i - graph.nodes.size()].lazy, "lazy or not");
      continue;
    }
    const GraphNode& node = graph.nodes[i];
    Require(lazy == node.lazy, "lazy or not");
    Require(topology.required[i] == node.inputs.size() + (lazy ? 1 : 0), "a wrong counter");
    for (const NodeId input : node.inputs) {
      Require(Index(input) < i || Index(input) >= graph.nodes.size(), "no topological order");
      Require(Index(input) < count, "an input that is nothing");
    }
    edges -= node.inputs.size();
  }
  Require(edges == 0, "edges that nobody waits for");
}

/// Recurses as deep as bodies and calls nest.
void RequireSound(const Graph& graph, const Around* outer) {
  Require(!graph.outputs.empty(), "no outputs");
  const std::size_t count = graph.nodes.size() + graph.imports.size();
  for (const NodeId output : graph.outputs) Require(Index(output) < count, "an output of nothing");
  RequireSoundTopology(graph);
  RequireSoundImports(graph, outer);
  const Around around{graph, outer};
  for (const GraphNode& node : graph.nodes) RequireSoundNode(node, around);
}

/// Each node starts once the edges that lead to it (but those back) have completed.
void RequireExplained(const Graph& graph, const EndpointTable& endpoints) {
  ExplainScope scope;
  scope.endpoints = &endpoints;
  scope.runs_inline = [](const CpuTask&, std::size_t) { return true; };
  const GraphExplanation told = Explain(graph, scope);
  std::vector<std::size_t> into(told.nodes.size(), 0);
  for (const EdgeExplanation& edge : told.edges) {
    Require(edge.from < told.nodes.size() + told.pruned.size(), "an edge from nowhere");
    if (edge.to >= told.nodes.size()) continue;
    const bool back = edge.kind == EdgeKind::kBack;
    Require(edge.from < told.nodes.size() && (edge.from > edge.to) == back,
            "an edge that goes back");
    if (!back) ++into[edge.to];
  }
  for (std::size_t i = 0; i < told.nodes.size(); ++i) {
    const NodeExplanation& node = told.nodes[i];
    const bool joins_bodies = node.role == NodeRole::kJoin && node.id.ends_with("[end]");
    const std::size_t required = joins_bodies ? 1 : into[i] + (node.lazy ? 1 : 0);
    Require(node.required == required && into[i] + (node.lazy ? 1 : 0) >= required,
            "told to require something else: " + node.id);
  }
}

}  // namespace

void FuzzPlans(std::string_view bytes) {
  static const Surroundings surroundings;
  Result<JsonDocument> document = ParseJson(bytes);
  if (!document) return;
  const Json* name = document->root().Find("plan_name");
  const bool loaded_by_name = name != nullptr && name->is_string();
  const std::string expected(loaded_by_name ? *name->AsString() : "");
  Problems problems;
  const std::unique_ptr<Plan> plan =
      ParsePlan(*std::move(document), surroundings.registry, expected, problems);
  if (plan == nullptr) {
    Require(problems.has_errors(), "no plan, and no reason");
    return;
  }
  Callable callable(surroundings.registry);
  const auto graph = BuildGraph(*plan, BuiltinTasks(), surroundings.endpoints, &callable, problems);
  RequireSoundProblems(plan->document.root(), problems);
  Require((graph == nullptr) == problems.has_errors(), "a graph with errors, or none without");
  if (graph == nullptr) return;
  RequireSound(*graph, nullptr);
  RequireExplained(*graph, surroundings.endpoints);
}

}  // namespace rankd::fuzz
