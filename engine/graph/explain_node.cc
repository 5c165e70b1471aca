#include "engine/graph/explain_node.h"

#include <limits>

#include "engine/graph/static_cost.h"

namespace rankd {
namespace {

/// More rows than any node can have.
constexpr std::size_t kManyRows = std::numeric_limits<std::uint32_t>::max();

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
  const CpuCost cost = node.cpu_task->cost();
  explained.fixed_ns = cost.fixed_ns;
  explained.ns_per_row = cost.ns_per_row;
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

}  // namespace

std::uint32_t NodeExplainer::EndpointNumber(EndpointId id) {
  const auto [known, is_new] =
      numbers_.try_emplace(Index(id), static_cast<std::uint32_t>(endpoints_.size()));
  if (is_new) {
    const EndpointSpec& spec = scope_.endpoints->at(id);
    const bool is_redis = spec.kind == EndpointKind::kRedis;
    endpoints_.push_back({spec.name, is_redis ? "redis" : "memory", AddressOf(spec)});
  }
  return known->second;
}

NodeExplanation NodeExplainer::Explain(const GraphNode& node, const Schema& schema) {
  NodeExplanation explained;
  explained.id = node.id;
  explained.op = node.op;
  explained.trace = node.trace;
  explained.effect = node.effect;
  explained.lazy = node.lazy;
  explained.retry = node.retry;
  explained.on_error = node.on_error;
  explained.required = static_cast<std::uint32_t>(node.inputs.size()) + (node.lazy ? 1 : 0);
  // The flag is for what waits itself, not for what holds it.
  explained.timeout = node.timeout || node.region != nullptr ? node.timeout : scope_.node_timeout;
  if (explained.timeout == std::chrono::milliseconds(0)) explained.timeout.reset();
  for (const EndpointId id : node.endpoints) {
    explained.endpoints.push_back(EndpointNumber(id));
  }
  AddCost(node, explained);
  if (node.region != nullptr) {
    explained.runs_on = RunsOn::kInline;
    return explained;
  }
  explained.writes = KeysWritten(node, schema);
  if (node.cpu_task != nullptr) PlaceCpuWork(*node.cpu_task, scope_, explained);
  return explained;
}

}  // namespace rankd
