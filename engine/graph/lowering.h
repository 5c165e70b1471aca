// The lowered graph: nodes with bodies laid out as heads, bodies and joins, for Explain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/graph/explain.h"
#include "engine/graph/explain_node.h"
#include "engine/graph/graph.h"
#include "engine/graph/static_cost.h"

namespace rankd {

/// For one graph; used once.
class Lowering {
 public:
  /// Nodes, bodies, edges, chains, outputs, endpoints and pruned nodes go to `explained`; both
  /// outlive it.
  Lowering(const ExplainScope& scope, GraphExplanation& explained)
      : explainer_(scope, explained.endpoints), explained_(explained) {}

  void AddPlan(const Graph& graph);

  /// By node.
  const std::vector<StaticCost>& costs() const { return costs_; }
  /// The ways through, as FindLongestPath takes them.
  std::vector<Step> Steps() const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// A plan or a body that is being laid out.
  struct Scope {
    const Graph* graph = nullptr;
    const Scope* outer = nullptr;  ///< Whose nodes it may name: nullptr for a plan, called or not.
    std::uint32_t giver = kNone;   ///< The node that `$in` comes from.
    std::uint32_t body = kNone;    ///< Number of the body.
    std::vector<std::uint32_t> ends;  ///< By node: the number of what gives its rows.
  };
  /// What an input or an output names.
  struct Source {
    std::uint32_t node = 0;
    EdgeKind kind = EdgeKind::kForward;
    bool starts = false;  ///< It cannot complete before the body has begun.
  };

  void AddGraph(Scope& scope);
  std::uint32_t AddNode(const Scope& scope, const GraphNode& node);
  /// Gives the join.
  std::uint32_t AddBodies(const Scope& scope, const GraphNode& node, std::uint32_t head);
  /// Gives what its rows come from.
  std::uint32_t AddBody(const Scope& scope, const Graph& graph, std::uint32_t head,
                        std::string_view name, bool called);
  std::uint32_t AddOutputs(const Scope& scope);
  std::uint32_t AddJoin(std::string id, std::uint32_t body);
  /// Edges into a node of a body, which nothing but the head starts if need be.
  template <typename Inputs>
  void AddInputs(const Scope& scope, const Inputs& inputs, std::uint32_t node);
  void AddEdge(std::uint32_t from, std::uint32_t to, EdgeKind kind) {
    explained_.edges.push_back({from, to, kind});
  }
  void AddPruned(const Scope& scope);
  void AddChains(const Scope& scope);
  void NumberChains();
  /// Brings edges into their order, with those into pruned nodes.
  void SortEdges();

  Source SourceOf(const Scope& scope, NodeId input) const;
  const std::string& PathOf(std::uint32_t body) const;
  /// Whether a called plan is laid out at this path; takes it from what is left.
  bool TakeRoom(const Graph& graph, std::size_t path_bytes);
  std::size_t SizeOf(const Graph& graph);

  NodeExplainer explainer_;
  GraphExplanation& explained_;
  std::vector<StaticCost> costs_;
  struct LoopEnd {
    std::uint32_t body_end;
    std::uint32_t join;
  };
  std::vector<LoopEnd> loop_ends_;     ///< By join.
  std::vector<EdgeExplanation> back_;  ///< Kept aside until the others are in order.
  struct PrunedEdge {
    std::uint32_t from;
    bool from_pruned;
    std::uint32_t to;  ///< Into GraphExplanation::pruned, as `from` if it is pruned.
  };
  std::vector<PrunedEdge> into_pruned_;
  std::size_t called_nodes_ = 0;
  std::unordered_map<const Graph*, std::size_t> sizes_;  ///< Without what they call.
  const std::string no_path_;
};

}  // namespace rankd
