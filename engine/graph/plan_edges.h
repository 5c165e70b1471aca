// A plan's edges, by position in its `nodes` instead of by name. Used while a graph is built only.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/plan/problem.h"
#include "engine/task/spec.h"

namespace rankd {

struct PlanEdges {
  /// Stands for a name that could not be resolved.
  static constexpr std::uint32_t kUnresolved = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> begin;    ///< Per node, and one more: range in `inputs`.
  std::vector<std::uint32_t> inputs;   ///< In the order of `inputs`, then `rhs`.
  std::vector<std::uint32_t> outputs;  ///< As Plan::outputs.
  std::vector<bool> count_is_right;    ///< Per node: as many inputs as its op takes.
  bool all_resolved = true;

  std::size_t node_count() const { return begin.size() - 1; }
  std::span<const std::uint32_t> InputsOf(std::uint32_t node) const {
    return std::span(inputs).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

/// Resolves `inputs`, `rhs` (of ops that take it) and `outputs`, and checks the numbers of inputs.
/// `specs`: one for each node, nullptr where its op is not known.
PlanEdges ResolveEdges(const Plan& plan, std::span<const TaskSpec* const> specs,
                       Problems& problems);

/// The JSON pointer of a node's input by its place in PlanEdges::InputsOf.
std::string InputPointer(const PlanNode& node, std::size_t input);

}  // namespace rankd
