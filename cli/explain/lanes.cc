#include "cli/explain/lanes.h"

#include <algorithm>
#include <utility>

namespace rankd {

LaneDrawing::LaneDrawing(std::vector<std::uint32_t> consumers, std::size_t max_lanes,
                         LaneStyle style)
    : left_(std::move(consumers)),
      lane_of_(left_.size(), kNoLane),
      lanes_(max_lanes),
      style_(style) {}

LaneDrawing::Row LaneDrawing::Draw(std::uint32_t node, std::span<const std::uint32_t> inputs,
                                   std::string_view marker) {
  Row row;
  JoinInputs(inputs, row.unseen);
  const std::size_t place = PlaceOfMarker();
  row.line = Line(place, marker);
  Settle(node, place);
  return row;
}

void LaneDrawing::JoinInputs(std::span<const std::uint32_t> inputs,
                             std::vector<std::uint32_t>& unseen) {
  for (const std::uint32_t input : inputs) --left_[input];
  for (const std::uint32_t input : inputs) {
    if (lane_of_[input] == kNoLane) {
      unseen.push_back(input);
    } else {
      lanes_[lane_of_[input]].joint = left_[input] == 0 ? Joint::kEnds : Joint::kGoesOn;
    }
  }
  if (unseen.size() < 2) return;
  std::vector<std::uint32_t> once = unseen;
  std::ranges::sort(once);
  const auto repeats = std::ranges::unique(once);
  once.erase(repeats.begin(), repeats.end());
  unseen = std::move(once);
}

/// The leftmost lane that ends here, else the leftmost free one, else the column beside them all.
std::size_t LaneDrawing::PlaceOfMarker() const {
  const auto ends = std::ranges::find(lanes_, Joint::kEnds, &Lane::joint);
  if (ends != lanes_.end()) return static_cast<std::size_t>(ends - lanes_.begin());
  // Right below a node that nothing takes, this one would seem to take it.
  const auto free = std::ranges::find_if(
      lanes_, [](const Lane& lane) { return lane.owner == kFree && !lane.just_left; });
  return static_cast<std::size_t>(free - lanes_.begin());
}

std::string LaneDrawing::Line(std::size_t marker_lane, std::string_view marker) const {
  std::size_t first = marker_lane;
  std::size_t last = marker_lane;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].joint == Joint::kNone) continue;
    first = std::min(first, i);
    last = std::max(last, i);
  }
  std::string line;
  for (std::size_t i = 0; i <= lanes_.size(); ++i) {
    const Joint joint = i < lanes_.size() ? lanes_[i].joint : Joint::kNone;
    if (i == marker_lane) {
      line += marker;
    } else if (joint == Joint::kGoesOn) {
      line += i == first ? "├" : i == last ? "┤" : "┼";
    } else if (joint == Joint::kEnds) {
      line += i == first ? "╰" : i == last ? "╯" : "┴";
    } else if (i < lanes_.size() && lanes_[i].owner != kFree) {
      line += style_.vertical;
    } else {
      line += i > first && i < last ? style_.horizontal : " ";
    }
    line += i >= first && i < last ? style_.horizontal : " ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

void LaneDrawing::Settle(std::uint32_t node, std::size_t marker_lane) {
  for (Lane& lane : lanes_) {
    if (lane.joint == Joint::kEnds) lane.owner = kFree;
    lane.joint = Joint::kNone;
    lane.just_left = false;
  }
  if (marker_lane == lanes_.size()) {
    overflowed_ = true;
  } else if (left_[node] == 0) {
    lanes_[marker_lane].just_left = true;
  } else {
    lanes_[marker_lane].owner = node;
    lane_of_[node] = marker_lane;
  }
}

}  // namespace rankd
