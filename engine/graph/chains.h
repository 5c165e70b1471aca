// Chains of CPU nodes: what could be handed to the pool as one job.
#pragma once

#include <vector>

#include "engine/base/ids.h"
#include "engine/graph/graph.h"

namespace rankd {

/// Two nodes belong together when both are CPU work that may leave the loop thread (no
/// Placement::kInline) and whose failure is the end of the run (no retry, no on_error), the first
/// one's rows go to the second alone, and the second takes nothing else: then neither waits for,
/// nor is waited for by, anything but the other. A node that is an output ends its chain, for a job
/// hands back one result. An input named twice is no obstacle.
///
/// Gives the maximal chains of at least two nodes, each in the direction of the data, in the order
/// of their first nodes; no node is in two. O(nodes + edges).
std::vector<std::vector<NodeId>> FindChains(const Graph& graph);

}  // namespace rankd
