// The work on whole inputs and outputs that for_each and loop have besides their bodies: cutting
// rows into items, and joining what came of them. Where there is much of it, it runs on the pool.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/rowset.h"
#include "engine/region/item_outputs.h"
#include "engine/region/items.h"
#include "engine/region/region.h"

namespace rankd {

/// Whether destroying a region's state with these takes long enough to be done elsewhere.
bool IsLargeRegion(const ItemOutputs& outputs, const Items& items);

/// Part of a region's state; of its work one piece is done at a time.
class ItemWork final : public RegionWork {
 public:
  /// Cuts the first input into `items`, which must stay; ends in OnComputed.
  void Cut(const ItemCut& cut, Items& items, RegionHost& host);
  /// Joins `outputs` and lets go of them; ends in OnComputed.
  void Join(ItemOutputs& outputs, RegionHost& host);
  /// What Join made.
  RowSet TakeRows() { return std::move(rows_); }
  /// Of the rows that items share.
  void LetGo() { inputs_.clear(); }

 private:
  Result<void> Run(StopToken stop) override;

  const ItemCut* cut_ = nullptr;  ///< Of what is to be cut; nullptr: outputs_ are to be joined.
  Items* items_ = nullptr;
  NodeContext context_;
  std::vector<RowSet> inputs_;  ///< Of context_, to be cut.
  std::vector<RowSet> outputs_;
  RowSet rows_ = RowSet::Absent();
};

}  // namespace rankd
