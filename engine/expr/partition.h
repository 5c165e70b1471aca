// Which nodes of a tree are evaluated together.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/ids.h"
#include "engine/expr/ast.h"

namespace rankd {

/// The main part; the arguments of aggregates; and one part for each largest subtree that reads one
/// string key and nothing else of the row, which a dictionary's entries are enough to evaluate.
struct Partition {
  static constexpr std::uint32_t kMain = 0;
  static constexpr std::uint32_t kInner = 1;

  struct Part {
    KeyId key{};              ///< Of parts from 2 on: the string key.
    std::uint32_t outer = 0;  ///< The part that reads this one's result.
  };
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of_node;
  std::vector<bool> lookup_root;  ///< By node: the root of a part from 2 on.
};

/// `ast` is typechecked.
Partition PartitionOf(const Ast& ast);

}  // namespace rankd
