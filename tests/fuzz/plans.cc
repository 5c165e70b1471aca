// Plan files: bytes to a graph over the built-in tasks. Whatever they are, the problems are sound,
// and there is a graph exactly when there are no errors.
#include <cmath>
#include <memory>
#include <string_view>

#include "engine/base/json.h"
#include "engine/graph/graph.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/plan.h"
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

void RequireSound(const Graph& graph) {
  const Topology& topology = graph.topology;
  Require(!graph.outputs.empty(), "no outputs");
  Require(topology.node_count() == graph.nodes.size(), "nodes without a place");
  std::size_t edges = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    Require((node.async_task != nullptr) != (node.cpu_task != nullptr), "not one task");
    if (node.cpu_task != nullptr) {
      const double cost = node.cpu_task->EstimateCost(1000);
      Require(std::isfinite(cost) && cost >= 0, "a cost that is none");
    }
    Require(topology.required[i] == node.inputs.size(), "a wrong counter");
    for (const NodeId input : node.inputs) Require(Index(input) < i, "no topological order");
    for (const NodeId successor : topology.SuccessorsOf(NodeId{static_cast<std::uint32_t>(i)})) {
      Require(Index(successor) > i, "an edge that goes back");
      ++edges;
    }
    edges -= node.inputs.size();  // what is left in the end is zero, whatever it was meanwhile
    Require(node.consumers > 0 || node.async_task != nullptr || node.cpu_task != nullptr, "lost");
  }
  Require(edges == 0, "edges that nobody waits for");
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
  const auto graph = BuildGraph(*plan, BuiltinTasks(), surroundings.endpoints, nullptr, problems);
  RequireSoundProblems(plan->document.root(), problems);
  Require((graph == nullptr) == problems.has_errors(), "a graph with errors, or none without");
  if (graph != nullptr) RequireSound(*graph);
}

}  // namespace rankd::fuzz
