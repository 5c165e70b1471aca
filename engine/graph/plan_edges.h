// The edges of a plan and of its bodies, by position in their `nodes` instead of by name. Used
// while a graph is built only.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/graph/import.h"
#include "engine/plan/plan.h"
#include "engine/plan/problem.h"
#include "engine/task/spec.h"

namespace rankd {

struct PlanEdges;

/// What stands in the params of one node.
struct NodeBodies {
  /// A node of the node's own scope that some body names, however deep.
  struct Capture {
    std::uint32_t position;
    std::string pointer;  ///< Where it is named.
  };
  std::uint32_t node = 0;         ///< The node that holds them.
  std::vector<PlanEdges> bodies;  ///< As PlanNode::bodies.
  std::vector<Capture> captures;  ///< In the order found; no repeats.
};

/// An input below node_count() is a node of the same body. Above, and below node_count() plus the
/// number of imports, it counts imports.
struct PlanEdges {
  /// Stands for a name that could not be resolved.
  static constexpr std::uint32_t kUnresolved = std::numeric_limits<std::uint32_t>::max();

  std::vector<const TaskSpec*> specs;  ///< Per node; nullptr for an op that is not known.
  std::vector<std::uint32_t> begin;    ///< Per node, and one more: range in `inputs`.
  std::vector<std::uint32_t> inputs;   ///< In the order of `inputs`, then `rhs`.
  std::vector<std::uint32_t> outputs;  ///< As PlanBody::outputs.
  std::vector<bool> count_is_right;    ///< Per node: as many inputs as its op takes.
  std::vector<Import> imports;         ///< Of a node, `node` is its position. No repeats.
  std::vector<NodeBodies> bodies;      ///< Of nodes that hold some, by node.
  bool all_resolved = true;            ///< Bodies included.

  std::size_t node_count() const { return begin.size() - 1; }
  bool IsNode(std::uint32_t input) const { return input < node_count(); }
  std::span<const std::uint32_t> InputsOf(std::uint32_t node) const {
    return std::span(inputs).subspan(begin[node], begin[node + 1] - begin[node]);
  }
  /// The inputs, then the captures: what comes before the node.
  std::span<const std::uint32_t> DependenciesOf(std::uint32_t node) const {
    if (dependencies.empty()) return InputsOf(node);
    return std::span(dependencies)
        .subspan(dependency_begin[node], dependency_begin[node + 1] - dependency_begin[node]);
  }
  /// Nullptr for a node without bodies.
  const NodeBodies* BodiesOf(std::uint32_t node) const;

  /// Empty unless there are captures: DependenciesOf.
  std::vector<std::uint32_t> dependency_begin;
  std::vector<std::uint32_t> dependencies;
};

/// Resolves ops, `inputs`, `rhs` (of ops that take it) and `outputs`, in bodies too, and checks the
/// numbers of inputs.
PlanEdges ResolveEdges(const Plan& plan, const TaskCatalog& catalog, Problems& problems);

/// The JSON pointer of what makes a node depend on another, by its place in
/// PlanEdges::DependenciesOf.
std::string DependencyPointer(const PlanBody& body, const PlanEdges& edges, std::uint32_t node,
                              std::size_t dependency);

}  // namespace rankd
