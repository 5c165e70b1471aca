// What a node need not do because of who takes its rows: a sort whose rows only a take sees puts
// those in order, and leaves the rest.
#pragma once

#include "engine/graph/graph.h"

namespace rankd {

/// Replaces tasks by what they offer for the first rows (CpuTask::ForLeadingRows) where one node
/// alone takes a node's rows and says how many of them it looks at. `graph` has its edges, but no
/// layout. Answers stay what they are. O(nodes).
void UseLeadingRows(Graph& graph);

}  // namespace rankd
