// The rows of an input cut into items, as `over` says: what for_each and loop go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/data/rowset.h"
#include "engine/task/spec.h"
#include "engine/task/task.h"

namespace rankd {

enum class Over : std::uint8_t { kRows, kChunks, kGroups };

/// `over`, `chunk_size` and `by` of a node.
class ItemCut {
 public:
  /// Nullopt when there is no `over` (`required`: which is a problem), or problems were recorded.
  static std::optional<ItemCut> Read(TaskBuilder& builder, bool required);

  /// Nanoseconds that cutting `rows` rows takes, by estimate.
  double CostOf(std::size_t rows) const;

  /// "over rows", "over chunks of 10", "over groups by country"
  const std::string& Describe() const { return text_; }

 private:
  friend class Items;
  Over over_ = Over::kRows;
  NumberParam chunk_size_;
  KeyId by_ = kIdKey;
  std::string text_;
};

/// Items of one RowSet; fixed once made.
class Items {
 public:
  Items() = default;
  /// Cuts the first input. invalid_param for a chunk_size that does not do.
  [[nodiscard]] static Result<Items> Make(const ItemCut& cut, const NodeContext& context);

  std::size_t count() const { return count_; }
  RowSet At(std::size_t item) const;
  /// Of the rows, which items may share; only to be destroyed then.
  void LetGo() { rows_.Drop(); }

 private:
  RowSet rows_;
  std::size_t count_ = 0;
  std::size_t chunk_rows_ = 1;
  // Of groups: base rows, one group after the other.
  std::vector<std::uint32_t> group_begin_;  ///< Per group, and one more.
  std::vector<std::uint32_t> base_rows_;
};

}  // namespace rankd
