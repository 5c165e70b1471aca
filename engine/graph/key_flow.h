// Which keys the rows of each node carry, found without running anything.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/graph/plan_edges.h"
#include "engine/plan/plan.h"
#include "engine/plan/problem.h"
#include "engine/task/task.h"

namespace rankd {

/// Lets each task check the keys of its inputs, in topological order. `tasks`: one for each node,
/// nullptr where there is a problem; what is behind such a node is not checked, for nothing is
/// known of its rows. The same goes for what comes into a body or out of a node that holds some.
void CheckKeyFlow(const PlanBody& body, const PlanEdges& edges,
                  const std::vector<std::uint32_t>& order, std::span<const Task* const> tasks,
                  const Schema& schema, Problems& problems);

}  // namespace rankd
