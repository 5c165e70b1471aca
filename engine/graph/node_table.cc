#include "engine/graph/node_table.h"

#include <bit>
#include <functional>
#include <string>

#include "engine/base/json.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

void ReportRepeat(const PlanBody& body, const PlanNode& node, const PlanNode& other,
                  Problems& problems) {
  problems.Add(body.NodePointer(node) + "/node_id", "the node id " + JsonQuoted(node.id) +
                                                        " is used more than once (also by " +
                                                        body.NodePointer(other) + ")");
}

}  // namespace

NodeTable::NodeTable(const PlanBody& body, Problems& problems)
    : nodes_(body.nodes), slots_(std::bit_ceil(2 * body.nodes.size() + 1), kEmpty) {
  const std::vector<PlanNode>& nodes = body.nodes;
  std::vector<bool> reported;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].id.empty()) continue;
    std::uint32_t& owner = slots_[SlotOf(nodes[i].id)];
    if (owner == kEmpty) {
      owner = i;
      continue;
    }
    reported.resize(nodes.size());
    if (!reported[owner]) ReportRepeat(body, nodes[owner], nodes[i], problems);
    reported[owner] = true;
    ReportRepeat(body, nodes[i], nodes[owner], problems);
  }
}

std::optional<std::uint32_t> NodeTable::Find(std::string_view id) const {
  const std::uint32_t position = slots_[SlotOf(id)];
  return position == kEmpty ? std::nullopt : std::optional(position);
}

std::size_t NodeTable::SlotOf(std::string_view id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(id)&mask;
  while (slots_[slot] != kEmpty && nodes_[slots_[slot]].id != id) slot = (slot + 1) & mask;
  return slot;
}

}  // namespace rankd
