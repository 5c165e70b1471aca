// Node ids to their places in a plan or body. Used while a graph is built only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/plan/problem.h"

namespace rankd {

/// A hash table with open addressing; references the body's nodes.
class NodeTable {
 public:
  /// Records an id that is used more than once at each of its places; the first one keeps it.
  NodeTable(const PlanBody& body, Problems& problems);

  /// The position in the body's `nodes`.
  std::optional<std::uint32_t> Find(std::string_view id) const;

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;

  /// The slot that holds `id`, or the empty one where it belongs.
  std::size_t SlotOf(std::string_view id) const;

  std::span<const PlanNode> nodes_;
  std::vector<std::uint32_t> slots_;  ///< A power of two, at most half full.
};

}  // namespace rankd
