#include "engine/graph/explain.h"

#include <limits>
#include <unordered_map>

#include "engine/graph/chains.h"
#include "engine/graph/static_cost.h"

namespace rankd {
namespace {

/// More rows than any node can have.
constexpr std::size_t kManyRows = std::numeric_limits<std::uint32_t>::max();

std::uint32_t Number(NodeId node) { return static_cast<std::uint32_t>(node); }

void PlaceCpuWork(const CpuTask& task, const ExplainScope& scope, NodeExplanation& node) {
  node.runs_on = RunsOn::kInline;
  if (scope.runs_inline(task, kManyRows)) return;
  node.runs_on = RunsOn::kPool;
  if (!scope.runs_inline(task, 0)) return;
  node.runs_on = RunsOn::kInlineOrPool;
  std::size_t inline_rows = 0;
  std::size_t pool_rows = kManyRows;
  while (pool_rows - inline_rows > 1) {
    const std::size_t middle = inline_rows + (pool_rows - inline_rows) / 2;
    (scope.runs_inline(task, middle) ? inline_rows : pool_rows) = middle;
  }
  node.pool_from_rows = pool_rows;
}

void AddCost(const GraphNode& node, NodeExplanation& explained) {
  if (node.async_task != nullptr) {
    explained.round_trips = node.async_task->RoundTrips();
    return;
  }
  if (node.region != nullptr) return;
  explained.fixed_ns = node.cpu_task->EstimateCost(0);
  explained.ns_per_row =
      (node.cpu_task->EstimateCost(kCostRows) - explained.fixed_ns) / double{kCostRows};
}

/// The keys of its rows if those of its inputs carried nothing but an id.
std::vector<std::string> KeysWritten(const GraphNode& node, const Schema& schema) {
  const std::vector<KeySet> inputs(node.inputs.size());
  std::vector<std::string> names;
  const KeySet written = node.task->OutputKeys(inputs);
  for (const KeyId key : written.keys()) {
    if (key != kIdKey) names.push_back(schema.key(key).name);
  }
  return names;
}

std::string AddressOf(const EndpointSpec& spec) {
  if (spec.kind == EndpointKind::kMemory) return spec.data;
  const std::string db = spec.db == 0 ? "" : std::to_string(spec.db);
  if (!spec.unix_socket.empty()) {
    return "unix://" + spec.unix_socket + (db.empty() ? "" : "?db=" + db);
  }
  const bool is_ipv6 = spec.host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + spec.host + "]" : spec.host) + ":" + std::to_string(spec.port) +
         (db.empty() ? "" : "/" + db);
}

/// Numbers the endpoints in the order in which nodes name them.
class EndpointList {
 public:
  EndpointList(const EndpointTable& table, std::vector<EndpointExplanation>& list)
      : table_(table), list_(list) {}

  std::uint32_t NumberOf(EndpointId id) {
    const auto [known, is_new] =
        numbers_.try_emplace(Index(id), static_cast<std::uint32_t>(list_.size()));
    if (is_new) {
      const EndpointSpec& spec = table_.at(id);
      const bool is_redis = spec.kind == EndpointKind::kRedis;
      list_.push_back({spec.name, is_redis ? "redis" : "memory", AddressOf(spec)});
    }
    return known->second;
  }

 private:
  const EndpointTable& table_;
  std::vector<EndpointExplanation>& list_;
  std::unordered_map<std::size_t, std::uint32_t> numbers_;
};

NodeExplanation ExplainNode(const GraphNode& node, const Schema& schema, const ExplainScope& scope,
                            EndpointList& endpoints) {
  NodeExplanation explained;
  explained.id = node.id;
  explained.op = node.op;
  explained.trace = node.trace;
  explained.effect = node.effect;
  explained.required = static_cast<std::uint32_t>(node.inputs.size());
  explained.timeout = node.timeout ? node.timeout : scope.node_timeout;
  if (explained.timeout == std::chrono::milliseconds(0)) explained.timeout.reset();
  for (const EndpointId id : node.endpoints) {
    explained.endpoints.push_back(endpoints.NumberOf(id));
  }
  explained.writes = KeysWritten(node, schema);
  AddCost(node, explained);
  if (node.region != nullptr) explained.runs_on = RunsOn::kInline;
  if (node.cpu_task != nullptr) PlaceCpuWork(*node.cpu_task, scope, explained);
  return explained;
}

void AddEdges(const Graph& graph, GraphExplanation& explained) {
  std::uint32_t to = 0;
  for (const GraphNode& node : graph.nodes) {
    for (const NodeId input : node.inputs) explained.edges.push_back({Number(input), to});
    ++to;
  }
  for (const PrunedNode& node : graph.pruned) {
    for (const std::uint32_t input : node.inputs) explained.edges.push_back({input, to});
    ++to;
  }
}

void AddChains(const Graph& graph, GraphExplanation& explained) {
  for (const std::vector<NodeId>& chain : FindChains(graph)) {
    std::vector<std::uint32_t>& numbers = explained.chains.emplace_back();
    for (const NodeId node : chain) {
      explained.nodes[Index(node)].chain = static_cast<std::uint32_t>(explained.chains.size() - 1);
      numbers.push_back(Number(node));
    }
  }
}

void AddLongestPath(const Graph& graph, GraphExplanation& explained) {
  const LongestPath path = FindLongestPath(graph);
  explained.longest_path.round_trips = path.cost.round_trips;
  explained.longest_path.cpu_ns = path.cost.cpu_ns;
  for (const NodeId node : path.nodes) {
    explained.nodes[Index(node)].on_longest_path = true;
    explained.longest_path.nodes.push_back(Number(node));
  }
}

}  // namespace

std::string_view EdgeKindName(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kForward:
      return "FORWARD";
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
  EndpointList endpoints(*scope.endpoints, explained.endpoints);
  explained.nodes.reserve(graph.nodes.size());
  for (const GraphNode& node : graph.nodes) {
    explained.nodes.push_back(ExplainNode(node, *graph.schema, scope, endpoints));
  }
  for (const PrunedNode& node : graph.pruned) explained.pruned.push_back({node.id, node.op});
  AddEdges(graph, explained);
  AddChains(graph, explained);
  AddLongestPath(graph, explained);
  for (const NodeId output : graph.outputs) {
    explained.nodes[Index(output)].outputs.push_back(
        static_cast<std::uint32_t>(explained.outputs.size()));
    explained.outputs.push_back(Number(output));
  }
  return explained;
}

}  // namespace rankd
