// Rows with equal values of a key, numbered. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/column.h"
#include "engine/data/rowset.h"

namespace rankd {

struct Groups {
  std::vector<std::uint32_t> of_row;     ///< Numbered in the order of first appearance.
  std::vector<std::uint32_t> first_row;  ///< Row (not base row) each group first appears in.

  std::size_t count() const { return first_row.size(); }
};

/// Groups `rows` by `key`. Nulls are one group; so are all rows where they do not carry the key.
/// Fails only with cancelled.
[[nodiscard]] Result<Groups> GroupRows(const RowSet& rows, KeyId key, StopToken stop);

}  // namespace rankd
