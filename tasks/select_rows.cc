#include "tasks/select_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/data/row_keys.h"
#include "tasks/radix_sort.h"

namespace rankd {
namespace {

bool ComesBefore(const KeyedRow& a, const KeyedRow& b) {
  return a.key != b.key ? a.key < b.key : a.row < b.row;
}

/// Up to so many wanted rows each new one is put where it belongs.
constexpr std::size_t kFewWanted = 16;

/// The first `count` of the rows that are added, which come by number.
class BestRows {
 public:
  explicit BestRows(std::size_t count) : count_(count) {
    best_.reserve(count <= kFewWanted ? count + 1 : 2 * count + 1);
  }

  void Add(KeyedRow row) {
    // A later row with the key of the worst comes after it.
    if (full_ && row.key >= worst_) return;
    if (count_ <= kFewWanted) {
      Insert(row);
    } else {
      best_.push_back(row);
      if (best_.size() > 2 * count_) Cut();
    }
  }
  const std::vector<KeyedRow>& Sorted() {
    if (count_ > kFewWanted) {
      Cut();
      std::sort(best_.begin(), best_.end(), ComesBefore);
    }
    return best_;
  }

 private:
  /// Sorted they stay; of equal keys the later row comes later.
  void Insert(KeyedRow row) {
    if (count_ == 0) return;
    if (full_) best_.pop_back();
    best_.insert(std::ranges::upper_bound(best_, row.key, {}, &KeyedRow::key), row);
    full_ = best_.size() == count_;
    worst_ = best_.back().key;
  }
  /// Twice as many as wanted are kept before the worse half goes.
  void Cut() {
    if (best_.size() <= count_) return;
    std::nth_element(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(count_),
                     best_.end(), ComesBefore);
    best_.resize(count_);
    full_ = count_ > 0;
    if (full_) worst_ = std::max_element(best_.begin(), best_.end(), ComesBefore)->key;
  }

  const std::size_t count_;
  std::vector<KeyedRow> best_;
  bool full_ = false;        ///< worst_ is known.
  std::uint64_t worst_ = 0;  ///< Key of the last that is still wanted.
};

}  // namespace

// Most of a long column costs one comparison a row, against the worst that is still wanted.
Result<void> SelectRows(const RowSet& rows, const Column& column, bool descending,
                        std::size_t count, StopToken stop, std::vector<std::uint32_t>& order) {
  RANKD_TRY(const RowKeys keys, OrderKeys(rows, column, stop));
  const std::uint64_t flip = descending ? ~std::uint64_t{0} : 0;
  BestRows best(count);
  std::vector<std::uint32_t> nulls;
  const bool seen = ForEachBlock(order.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const auto number = static_cast<std::uint32_t>(row);
      if (column.has_nulls() && column.IsNullAt(rows.BaseRow(row))) {
        if (nulls.size() < count) nulls.push_back(number);
        continue;
      }
      best.Add({keys[row] ^ flip, number});
    }
  });
  if (!seen) return Cancelled();
  std::vector<std::uint32_t> chosen;
  chosen.reserve(count);
  for (const KeyedRow& row : best.Sorted()) chosen.push_back(row.row);
  for (std::size_t i = 0; i < nulls.size() && chosen.size() < count; ++i)
    chosen.push_back(nulls[i]);
  // The others move back over the places of the chosen ones, the last first.
  std::vector<std::uint32_t> places = chosen;
  std::sort(places.begin(), places.end());
  std::size_t to = order.size();
  std::size_t end = order.size();
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const std::size_t others = end - *place - 1;
    std::copy_backward(order.begin() + static_cast<std::ptrdiff_t>(*place) + 1,
                       order.begin() + static_cast<std::ptrdiff_t>(end),
                       order.begin() + static_cast<std::ptrdiff_t>(to));
    to -= others;
    end = *place;
  }
  std::copy_backward(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(end),
                     order.begin() + static_cast<std::ptrdiff_t>(to));
  std::copy(chosen.begin(), chosen.end(), order.begin());
  return {};
}

}  // namespace rankd
