// The words in which the formats for people tell of a node.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/explain.h"

namespace rankd {

/// "1 node", "2 nodes".
std::string Counted(std::size_t count, std::string_view noun);

/// Where a node runs and what it talks to: "loop, redis_default", "inline, pool from 8334 rows".
std::string RunsText(const GraphExplanation& graph, const NodeExplanation& node);

/// The static cost: "2 round trips", "50 ns + 6 ns/row"; empty when there is none to tell.
std::string CostText(const NodeExplanation& node);

/// "1", "1 per item"
std::string RequiredText(const NodeExplanation& node);

/// What else is written at a node, one after the other: conditions and limits, that it is lazy, its
/// time limit, retries, `on_error`.
std::vector<std::string> NodeRemarks(const NodeExplanation& node);

/// Whether there are heads, joins and kinds of edges to tell apart.
bool IsLowered(const GraphExplanation& graph);

/// What is written at a body: its path, and the plan that it is.
std::string BodyTitle(const BodyExplanation& body);

/// What stands together in a picture: the plan, or a body.
struct Group {
  std::vector<std::uint32_t> nodes;   ///< Directly in it, in no chain.
  std::vector<std::uint32_t> chains;  ///< Directly in it.
  std::vector<std::uint32_t> bodies;  ///< Of its nodes.
};
/// Of the plan first, then by body.
std::vector<Group> GroupsOf(const GraphExplanation& graph);

/// What a picture writes into a node, line by line; lines with nothing to tell are empty.
std::vector<std::string> LabelLines(const GraphExplanation& graph, const NodeExplanation& node);

/// A time with three significant digits: "850 ns", "1.25 ms", "3 s". Not negative.
std::string TimeText(double nanoseconds);

/// `text` on one line, for a terminal or a label: control characters become their pictures
/// (U+2400…), bytes that are no UTF-8 become U+FFFD.
std::string VisibleText(std::string_view text);

}  // namespace rankd
