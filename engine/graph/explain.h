// What there is to tell of a graph before anything runs, in no format: names instead of numbers,
// where nodes run, chains, pruned nodes, static costs. Values only; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/plan/endpoints.h"

namespace rankd {

/// What an edge means to the node at its end. Nodes that hold other nodes will add kinds.
enum class EdgeKind : std::uint8_t {
  kForward,  ///< Its rows are one of the node's inputs.
};
std::string_view EdgeKindName(EdgeKind kind);  ///< "FORWARD"

enum class RunsOn : std::uint8_t {
  kCoroutine,     ///< On the loop thread, waiting for a store or a timer.
  kInline,        ///< CPU work, always on the loop thread.
  kPool,          ///< CPU work, always on a thread of the pool.
  kInlineOrPool,  ///< CPU work, on the pool from so many rows on.
};

struct NodeExplanation {
  std::string id;
  std::string op;
  std::string trace;  ///< params.trace, any text; empty for none.
  RunsOn runs_on = RunsOn::kCoroutine;
  std::size_t pool_from_rows = 0;        ///< For kInlineOrPool: the least rows, in all inputs.
  std::vector<std::uint32_t> endpoints;  ///< Into GraphExplanation::endpoints.
  std::size_t round_trips = 0;           ///< One after the other; 0 for CPU work.
  double fixed_ns = 0;                   ///< Of CPU work: whatever the rows, …
  double ns_per_row = 0;                 ///< … and for each row.
  std::optional<std::chrono::milliseconds> timeout;
  std::vector<std::string> writes;     ///< Keys it puts into its rows itself, as in the schema.
  std::uint32_t required = 0;          ///< Edges that must complete before it starts.
  std::optional<std::uint32_t> chain;  ///< Into GraphExplanation::chains.
  std::vector<std::uint32_t> outputs;  ///< Its places in the plan's outputs.
  bool effect = false;
  bool on_longest_path = false;
};

struct PrunedExplanation {
  std::string id;
  std::string op;
};

struct EndpointExplanation {
  std::string name;
  std::string kind;     ///< "redis" or "memory".
  std::string address;  ///< "host:port/db", "unix:///path?db=n" or the data file; never a secret.
};

/// Ends are numbers of `nodes`, and counting on from there of `pruned`.
struct EdgeExplanation {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  EdgeKind kind = EdgeKind::kForward;
};

struct PathExplanation {
  std::vector<std::uint32_t> nodes;
  std::size_t round_trips = 0;
  double cpu_ns = 0;  ///< Each node taking 1000 rows.
};

struct GraphExplanation {
  std::string plan;
  bool needs_user_id = false;
  std::vector<NodeExplanation> nodes;     ///< In topological order.
  std::vector<PrunedExplanation> pruned;  ///< In topological order.
  std::vector<EdgeExplanation> edges;     ///< By their ends' numbers, then in the inputs' order; an
                                          ///< input named twice is two edges. Those into pruned
                                          ///< nodes come last.
  std::vector<EndpointExplanation> endpoints;      ///< Those that nodes talk to.
  std::vector<std::vector<std::uint32_t>> chains;  ///< As FindChains.
  std::vector<std::uint32_t> outputs;              ///< In the plan's order; may repeat.
  PathExplanation longest_path;                    ///< As FindLongestPath.

  /// Of a node, pruned or not.
  const std::string& IdOf(std::uint32_t node) const;
};

/// What the graph itself does not know.
struct ExplainScope {
  const EndpointTable* endpoints = nullptr;  ///< That the graph was built over.
  /// Whether CPU work over so many rows runs on the loop thread; once false it stays so for more
  /// rows.
  std::function<bool(const CpuTask& task, std::size_t rows)> runs_inline;
  /// For nodes that have none of their own; 0: none.
  std::optional<std::chrono::milliseconds> node_timeout;
};

/// Never recurses over the graph; O(nodes + edges).
GraphExplanation Explain(const Graph& graph, const ExplainScope& scope);

}  // namespace rankd
