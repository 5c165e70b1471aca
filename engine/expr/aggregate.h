// Aggregates: the values of one argument, added block by block to the state of each group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/data/column.h"
#include "engine/expr/compiled.h"
#include "engine/expr/vec.h"

namespace rankd {

/// The state of one aggregate for all groups.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  /// `n` rows in order; `groups[i]` is the group of row i, nullptr where there is one group.
  /// `values` is empty for count().
  virtual void Add(const Vec& values, const std::uint32_t* groups, std::size_t n) = 0;

  /// One value a group. Once, at the end.
  virtual ColumnRef Finish() = 0;
};

std::unique_ptr<Accumulator> MakeAccumulator(const Aggregate& aggregate, std::size_t groups);

}  // namespace rankd
