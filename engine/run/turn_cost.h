// What a run's own doings cost by estimate, in nanoseconds: what is counted of a turn besides the
// work of the nodes.
#pragma once

namespace rankd {

/// Starting and finishing a node: one that ends at once, and one that waits, as a coroutine or a
/// job.
inline constexpr double kNodeNanoseconds = 50;
inline constexpr double kActiveNodeNanoseconds = 1'000;
/// Beginning and ending an activation, besides its nodes.
inline constexpr double kActivationNanoseconds = 200;

}  // namespace rankd
