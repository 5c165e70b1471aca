// Which row of one RowSet has the same key value as a row of another: the hash table of a join.
// For one task run, one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/flat_map.h"
#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/column.h"
#include "engine/data/rowset.h"

namespace rankd {

/// No row.
inline constexpr std::uint32_t kNoRow = FlatMap::kNone;

class RowIndex {
 public:
  /// Indexes the rows of `rows` by `key`; nulls, and rows that do not carry it, are left out. With
  /// `unique`, a value given twice is duplicate_key, naming it. `rows` must outlive the index.
  [[nodiscard]] static Result<RowIndex> Build(const RowSet& rows, KeyId key, const Schema& schema,
                                              bool unique, StopToken stop);

  /// For each of `others`, in order: the base row of the first indexed row with the same value of
  /// the key, or kNoRow. Fails only with cancelled.
  [[nodiscard]] Result<std::vector<std::uint32_t>> Match(const RowSet& others, KeyId key,
                                                         StopToken stop);

 private:
  const Column* column_ = nullptr;  ///< The key of the indexed rows; nullptr when not carried.
  FlatMap base_row_of_;             ///< By equality key.
};

}  // namespace rankd
