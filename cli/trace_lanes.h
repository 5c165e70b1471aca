// TraceLanes: where the nodes of a run stand in a trace, so that what nests is drawn nested and
// what overlaps side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/run/trace.h"

namespace rankd {

/// A node of the trace, and where it is drawn.
struct TracePlace {
  std::uint32_t lane;
  std::uint32_t depth;  ///< Nodes of the lane that hold it.
  std::uint32_t span;   ///< In RunTrace::nodes.
};

/// Lays traces out, one after the other; keeps its memory. Any one thread.
class TraceLanes {
 public:
  /// Spans of one lane nest or do not touch: what a body runs stands in the node that holds the
  /// body, unless something else stands there at that time. Everything else goes to the first lane
  /// that is free. Sorted by lane, then by start, what holds another first. O(n log n). Valid until
  /// the next call.
  const std::vector<TracePlace>& Assign(const RunTrace& trace);

 private:
  /// The span that a body's node is part of, or kNotTraced.
  static std::uint32_t HolderOf(const RunTrace& trace, std::uint32_t span);
  bool FitsIntoHolder(const RunTrace& trace, std::uint32_t span, std::uint32_t holder);
  std::uint32_t FreeLane(TimePoint start, TimePoint end);

  std::vector<TracePlace> places_;
  std::vector<std::uint32_t> lane_of_;  ///< By span.
  /// By lane: spans that have begun and may not have ended, from the outermost in.
  std::vector<std::vector<std::uint32_t>> open_;
  std::uint32_t lanes_ = 0;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  using Busy = std::pair<TimePoint, std::uint32_t>;  ///< Until when, which lane.
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
};

}  // namespace rankd
