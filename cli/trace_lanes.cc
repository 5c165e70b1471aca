#include "cli/trace_lanes.h"

#include <algorithm>

namespace rankd {

const std::vector<TracePlace>& TraceLanes::Assign(const RunTrace& trace) {
  const auto count = static_cast<std::uint32_t>(trace.nodes.size());
  places_.clear();
  lane_of_.assign(count, 0);
  for (auto& open : open_) open.clear();
  lanes_ = 0;
  free_ = {};
  busy_ = {};

  for (std::uint32_t span = 0; span < count; ++span) places_.push_back({0, 0, span});
  // Spans that start at the same time stay as they were recorded: holders first.
  std::ranges::stable_sort(places_, {},
                           [&](TracePlace place) { return trace.nodes[place.span].start; });
  for (TracePlace& place : places_) {
    const NodeSpan& node = trace.nodes[place.span];
    const std::uint32_t holder = HolderOf(trace, place.span);
    if (holder != kNotTraced && FitsIntoHolder(trace, place.span, holder)) {
      place.lane = lane_of_[holder];
    } else {
      place.lane = FreeLane(node.start, node.end);
    }
    lane_of_[place.span] = place.lane;
    std::vector<std::uint32_t>& open = open_[place.lane];
    place.depth = static_cast<std::uint32_t>(open.size());
    open.push_back(place.span);
  }
  std::ranges::stable_sort(places_, {}, &TracePlace::lane);
  return places_;
}

std::uint32_t TraceLanes::HolderOf(const RunTrace& trace, std::uint32_t span) {
  return trace.activations[trace.nodes[span].activation].node_span;
}

bool TraceLanes::FitsIntoHolder(const RunTrace& trace, std::uint32_t span, std::uint32_t holder) {
  const NodeSpan& node = trace.nodes[span];
  if (trace.nodes[holder].start > node.start || trace.nodes[holder].end < node.end) return false;
  std::vector<std::uint32_t>& open = open_[lane_of_[holder]];
  while (!open.empty() && open.back() != holder && trace.nodes[open.back()].end <= node.start) {
    open.pop_back();
  }
  return !open.empty() && open.back() == holder;
}

/// One that nothing stands in at `start`; it is taken until `end`.
std::uint32_t TraceLanes::FreeLane(TimePoint start, TimePoint end) {
  for (; !busy_.empty() && busy_.top().first <= start; busy_.pop()) {
    free_.push(busy_.top().second);
  }
  if (free_.empty()) {
    free_.push(lanes_++);
    if (open_.size() < lanes_) open_.emplace_back();
  }
  const std::uint32_t lane = free_.top();
  free_.pop();
  busy_.emplace(end, lane);
  open_[lane].clear();
  return lane;
}

}  // namespace rankd
