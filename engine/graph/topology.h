// The shape of a graph alone: what the scheduler needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/ids.h"

namespace rankd {

/// Edges in compressed sparse rows. Immutable once built.
struct Topology {
  std::vector<std::uint32_t> required;         ///< Per node: edges that must complete.
  std::vector<std::uint32_t> successor_begin;  ///< Per node, and one more: range in `successors`.
  std::vector<NodeId> successors;              ///< An input named twice stands twice.
  std::vector<NodeId> sources;                 ///< Nodes that require nothing, in node order.
  /// Per node: it runs on demand, an edge more that a node (not an import) requires, and nothing
  /// waits for its end but its successors. Empty when there are none.
  std::vector<bool> lazy;
  std::size_t lazy_count = 0;

  std::size_t node_count() const { return required.size(); }
  std::span<const NodeId> SuccessorsOf(NodeId node) const {
    const std::uint32_t begin = successor_begin[Index(node)];
    return {successors.data() + begin, successor_begin[Index(node) + 1] - begin};
  }
};

}  // namespace rankd
