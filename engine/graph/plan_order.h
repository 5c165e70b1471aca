// Orders over a plan's edges, all by loops: a chain of a million nodes costs no stack.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/graph/plan_edges.h"

namespace rankd {

/// The nodes that are on no cycle nor behind one, each after all its inputs. Where a chain can be
/// followed it is, so that a chain's nodes stand side by side. Captures count as inputs.
std::vector<std::uint32_t> TopologicalOrder(const PlanEdges& edges);

/// Appends what a node depends on besides its inputs.
using MoreDependencies =
    std::function<void(std::uint32_t node, std::vector<std::uint32_t>& dependencies)>;

/// True for `roots` and for each node that one of them needs, directly or through others.
std::vector<bool> NodesBehind(const PlanEdges& edges, std::vector<std::uint32_t> roots,
                              const MoreDependencies& more);

/// One cycle of each knot of cycles: node positions in the direction of the data, the earliest in
/// the file first. `order` is that of TopologicalOrder.
std::vector<std::vector<std::uint32_t>> FindCycles(const PlanEdges& edges,
                                                   const std::vector<std::uint32_t>& order);

}  // namespace rankd
