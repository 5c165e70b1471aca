// The most expensive way through what a run did.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run/trace.h"

namespace rankd {

/// A node's cost is end - ready. Gives spans, numbers in RunTrace::nodes, in order: the path
/// through the plan's own nodes, each node with bodies followed by the paths of the activations it
/// waited for. Of ends that tie the one furthest on is taken, of inputs that tie the first in the
/// graph. O(spans + edges that they have).
std::vector<std::uint32_t> CriticalPath(const RunTrace& trace);

}  // namespace rankd
