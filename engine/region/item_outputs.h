// What came of a region's items, in their order, however many there are.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "engine/data/rowset.h"
#include "engine/region/region.h"

namespace rankd {

/// Loop thread only. Small outputs are joined while the items go on, a few hundred at a time: a
/// hundred thousand of them kept one by one would be spread over memory that no cache holds.
class ItemOutputs {
 public:
  /// One more item has begun; they are numbered from 0.
  void Begin() { open_.emplace_back(); }
  /// An item has ended with these rows.
  void End(std::size_t item, RowSet rows, RegionHost& host);
  /// An item has ended without any: it is left out.
  void LeaveOut(std::size_t item, RegionHost& host) { End(item, RowSet::Absent(), host); }

  /// Of all items that have ended.
  std::size_t rows() const { return rows_; }
  /// Pieces held: what it costs to destroy this.
  std::size_t pieces() const { return open_.size() + ended_.size() + joined_.size(); }
  /// The rows of all items, in their order, in as many pieces as there are.
  std::vector<RowSet> Take();

 private:
  struct Output {
    RowSet rows = RowSet::Absent();
    bool ended = false;
  };
  void JoinEnded(RegionHost& host);

  std::deque<Output> open_;     ///< From the first item that has not ended on.
  std::size_t first_open_ = 0;  ///< That item.
  std::vector<RowSet> ended_;   ///< Before that, not joined yet.
  std::vector<RowSet> joined_;  ///< Before those.
  std::size_t rows_ = 0;
  std::size_t ended_rows_ = 0;  ///< In ended_.
};

}  // namespace rankd
