// The lines of a graph drawn downwards, one row for each node, as `git log --graph` does: a node
// whose rows are still wanted holds a lane until its last consumer is drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankd {

/// Box-drawing characters, each one column wide.
struct LaneStyle {
  std::string_view vertical = "│";
  std::string_view horizontal = "─";
};

/// Nodes are numbered from 0 and drawn in an order in which inputs come first. Where more than
/// `max_lanes` nodes would hold lanes at once, the others stand in one column beside them and their
/// edges are not drawn. A row costs O(max_lanes + inputs).
class LaneDrawing {
 public:
  /// `consumers`: per node, the edges that leave it.
  LaneDrawing(std::vector<std::uint32_t> consumers, std::size_t max_lanes, LaneStyle style);

  struct Row {
    std::string line;                   ///< Without blanks at its end.
    std::vector<std::uint32_t> unseen;  ///< Inputs that no line leads to, without repeats.
  };
  Row Draw(std::uint32_t node, std::span<const std::uint32_t> inputs, std::string_view marker);

  /// True once a node stood beside the lanes.
  bool overflowed() const { return overflowed_; }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;
  static constexpr std::size_t kNoLane = static_cast<std::size_t>(-1);
  enum class Joint : std::uint8_t { kNone, kGoesOn, kEnds };

  struct Lane {
    std::uint32_t owner = kFree;
    bool just_left = false;  ///< A node that nothing takes stood here in the row above.
    Joint joint = Joint::kNone;
  };

  void JoinInputs(std::span<const std::uint32_t> inputs, std::vector<std::uint32_t>& unseen);
  std::size_t PlaceOfMarker() const;
  std::string Line(std::size_t marker_lane, std::string_view marker) const;
  void Settle(std::uint32_t node, std::size_t marker_lane);

  std::vector<std::uint32_t> left_;   ///< Per node: edges out that are not drawn yet.
  std::vector<std::size_t> lane_of_;  ///< Per node, kNoLane for none.
  std::vector<Lane> lanes_;
  LaneStyle style_;
  bool overflowed_ = false;
};

}  // namespace rankd
