// What there is to tell of a graph before anything runs, in no format: names instead of numbers,
// where nodes run, bodies, chains, pruned nodes, static costs. Values only; any thread.
//
// The graph is told lowered: a node with bodies is a head, then the nodes of its bodies, then a
// join. The head has the node's id, its inputs and what else is written at it; who takes the node's
// rows takes the join's. Other joins stand in bodies whose rows are not those of one of their
// nodes: of several outputs, of `$in`, `$carry` or a captured node.
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

/// What an edge means to the node at its end.
enum class EdgeKind : std::uint8_t {
  kForward,   ///< Its rows are one of the node's inputs, or what a join passes on.
  kContinue,  ///< From a head to a node that a body begins with: it gives `$in`, `$carry` or
              ///< neither.
  kBreak,     ///< From a head to its join: no body runs, or none again.
  kBack,      ///< From the end of a loop's body to the head. Not one of those it requires.
};
std::string_view EdgeKindName(EdgeKind kind);  ///< "FORWARD"

enum class RunsOn : std::uint8_t {
  kCoroutine,     ///< On the loop thread, waiting for a store or a timer.
  kInline,        ///< CPU work, always on the loop thread.
  kPool,          ///< CPU work, always on a thread of the pool.
  kInlineOrPool,  ///< CPU work, on the pool from so many rows on.
};

enum class NodeRole : std::uint8_t {
  kNode,
  kHead,   ///< Of a node with bodies.
  kJoin,   ///< Has no work of its own.
  kInput,  ///< `$in` of the plan, which whoever calls it gives.
};

struct NodeExplanation {
  std::string id;  ///< Behind the paths of the bodies it stands in: "each/score".
  std::string op;
  std::string trace;  ///< params.trace, any text; empty for none.
  RunsOn runs_on = RunsOn::kCoroutine;
  std::size_t pool_from_rows = 0;        ///< For kInlineOrPool: the least rows, in all inputs.
  std::vector<std::uint32_t> endpoints;  ///< Into GraphExplanation::endpoints.
  std::size_t round_trips = 0;           ///< One after the other; 0 for CPU work.
  double fixed_ns = 0;                   ///< Of CPU work: whatever the rows, …
  double ns_per_row = 0;                 ///< … and for each row.
  std::optional<std::chrono::milliseconds> timeout;
  std::vector<std::string> writes;  ///< Keys it puts into its rows itself, as in the schema.
  /// Edges that must complete before it starts: all that lead to it but those back, and one more if
  /// it is lazy; of a head's join one, whichever it is, or one `per_item`.
  std::uint32_t required = 0;
  std::optional<std::uint32_t> chain;  ///< Into GraphExplanation::chains.
  std::vector<std::uint32_t> outputs;  ///< Its places in the plan's outputs.
  bool effect = false;
  bool on_longest_path = false;

  NodeRole role = NodeRole::kNode;
  std::optional<std::uint32_t> body;  ///< That it stands in; none for the plan's own.
  bool lazy = false;                  ///< It waits for a body that captures it.
  bool per_item = false;              ///< A join that awaits the body's end once for each item.
  std::vector<std::string> details;   ///< Of a head: conditions and limits, of any text.
  std::optional<RetryPolicy> retry;
  OnError on_error = OnError::kFail;
};

/// A body of a node with bodies; a called plan is one at each node that calls it.
struct BodyExplanation {
  std::string path;                    ///< Before its nodes' ids: "each/", "pick[case0]/".
  std::string plan;                    ///< The called plan's name; empty for other bodies.
  std::uint32_t head = 0;              ///< Its node.
  std::optional<std::uint32_t> outer;  ///< The body that stands in.
  std::uint32_t first = 0;  ///< Its nodes, those of bodies inside included: from here …
  std::uint32_t end = 0;    ///< … to before this one.
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
  std::vector<std::uint32_t> nodes;  ///< Joins included.
  std::size_t round_trips = 0;
  double cpu_ns = 0;  ///< Each node taking 1000 rows.
};

struct GraphExplanation {
  std::string plan;
  bool needs_user_id = false;
  std::vector<NodeExplanation> nodes;     ///< In topological order, but for edges back.
  std::vector<BodyExplanation> bodies;    ///< In the order of their nodes, outer ones first.
  std::vector<PrunedExplanation> pruned;  ///< In topological order.
  std::vector<EdgeExplanation> edges;  ///< By their ends' numbers, then in the inputs' order, one
                                       ///< back last; an input named twice is two edges. Those
                                       ///< into pruned nodes come last of all.
  std::vector<EndpointExplanation> endpoints;      ///< Those that nodes talk to.
  std::vector<std::vector<std::uint32_t>> chains;  ///< As FindChains; those of bodies too.
  std::vector<std::uint32_t> outputs;              ///< In the plan's order; may repeat.
  /// As FindLongestPath; a loop's join follows the body's end. Each body counts once.
  PathExplanation longest_path;

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

/// Nodes of called plans are told up to this many (long paths count for more): calls beyond are
/// told without their plan.
inline constexpr std::size_t kMaxCalledNodes = 4000;

/// Recurses over bodies and calls, never over the nodes of one. O(nodes + edges).
GraphExplanation Explain(const Graph& graph, const ExplainScope& scope);

}  // namespace rankd
