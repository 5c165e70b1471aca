#include "tasks/select_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/data/row_keys.h"
#include "tasks/radix_sort.h"

namespace rankd {
namespace {

/// An object, so that algorithms compile it in.
constexpr auto kComesBefore = [](const KeyedRow& a, const KeyedRow& b) {
  return a.key != b.key ? a.key < b.key : a.row < b.row;
};

/// Up to so many wanted rows each new one is put where it belongs.
constexpr std::size_t kFewWanted = 16;

/// The first `count` of the rows that are added, which come by number.
class BestRows {
 public:
  explicit BestRows(std::size_t count) : count_(count) {
    best_.reserve(count <= kFewWanted ? count + 1 : 2 * count + 1);
  }

  void Add(KeyedRow row) {
    if (count_ <= kFewWanted) {
      Insert(row);
    } else {
      best_.push_back(row);
      if (best_.size() > 2 * count_) Cut();
    }
  }
  /// Not until as many as are wanted have come: any row may be one of them.
  bool full() const { return full_; }
  /// When full: the last row that is wanted. A later one with its key or a greater one is not.
  KeyedRow worst() const { return worst_; }

  const std::vector<KeyedRow>& Sorted() {
    if (count_ > kFewWanted) {
      Cut();
      std::sort(best_.begin(), best_.end(), kComesBefore);
    }
    return best_;
  }

 private:
  /// Sorted they stay; of equal keys the later row comes later.
  void Insert(KeyedRow row) {
    if (!full_) best_.push_back(row);
    // From the last place, which is the worst one's, or new.
    std::size_t place = best_.size() - 1;
    for (; place > 0 && row.key < best_[place - 1].key; --place) best_[place] = best_[place - 1];
    best_[place] = row;
    full_ = best_.size() == count_;
    worst_ = best_.back();
  }
  /// Twice as many as wanted are kept before the worse half goes.
  void Cut() {
    if (best_.size() <= count_) return;
    const auto last = best_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::nth_element(best_.begin(), last, best_.end(), kComesBefore);
    worst_ = *last;
    best_.resize(count_);
    full_ = true;
  }

  const std::size_t count_;
  std::vector<KeyedRow> best_;
  bool full_ = false;
  KeyedRow worst_{};
};

/// Rows that are looked at before all others, to know early how good a row has to be.
constexpr std::size_t kSample = 32;
static_assert(kSample <= kVeryFewKeys && kFewWanted <= kSample);

/// The place in `sample` of the one that comes last of the first `count`: no row that comes after
/// it is one of the first `count` of any rows that hold the sample.
std::size_t LastWanted(std::span<const std::uint64_t> sample, std::size_t count) {
  Places places;
  PlaceKeys(sample, places);
  return static_cast<std::size_t>(
      std::find(places.begin(), places.end(), static_cast<std::uint8_t>(count - 1)) -
      places.begin());
}

/// `slots`: the values by base row, or what stands for them. Most rows of a long column cost one
/// comparison, with the value of the worst that is still wanted: that is what this loop is for.
template <bool kDescending, typename T>
bool AddRows(const RowSet& rows, const Column& column, std::span<const T> slots, StopToken stop,
             BestRows& best, std::vector<std::uint32_t>& nulls, std::size_t count) {
  constexpr std::uint64_t kFlip = kDescending ? ~std::uint64_t{0} : 0;
  const std::uint32_t* const selection = rows.selection() ? rows.selection()->data() : nullptr;
  const bool has_nulls = column.has_nulls();
  const auto slot_of = [&](std::size_t row) { return selection == nullptr ? row : selection[row]; };
  // Rows that come in ascending order would all be put in, and out again.
  std::optional<T> bound;
  if (!has_nulls && count <= kFewWanted && rows.rows() >= 2 * kSample) {
    const std::size_t step = rows.rows() / kSample;
    std::array<std::uint64_t, kSample> sample;
    for (std::size_t i = 0; i < kSample; ++i) {
      sample[i] = OrderKey(slots[slot_of(i * step)]) ^ kFlip;
    }
    bound = slots[slot_of(LastWanted(sample, count) * step)];
  }
  const auto next_better = [&](std::size_t row, std::size_t end) {
    if (!best.full()) {
      const auto worse = [&](T value) { return kDescending ? value < *bound : value > *bound; };
      while (bound && row < end && worse(slots[slot_of(row)])) ++row;
      return row;
    }
    const T worst = slots[slot_of(best.worst().row)];
    const auto better = [&](T value) { return kDescending ? value > worst : value < worst; };
    if (selection == nullptr) {
      while (row < end && !better(slots[row])) ++row;
    } else {
      while (row < end && !better(slots[selection[row]])) ++row;
    }
    return row;
  };
  return ForEachBlock(rows.rows(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = next_better(begin, end); row < end; row = next_better(row + 1, end)) {
      const std::size_t slot = slot_of(row);
      const auto number = static_cast<std::uint32_t>(row);
      if (has_nulls && column.IsNullAt(slot)) {
        if (nulls.size() < count) nulls.push_back(number);
        continue;
      }
      best.Add({OrderKey(slots[slot]) ^ kFlip, number});
    }
  });
}

template <bool kDescending>
bool AddRows(const RowSet& rows, const Column& column, StopToken stop, BestRows& best,
             std::vector<std::uint32_t>& nulls, std::size_t count) {
  switch (column.type()) {
    case ValueType::kInt:
      return AddRows<kDescending>(rows, column, column.ints(), stop, best, nulls, count);
    case ValueType::kFloat:
      return AddRows<kDescending>(rows, column, column.floats(), stop, best, nulls, count);
    case ValueType::kBool:
      return AddRows<kDescending>(rows, column, column.bools(), stop, best, nulls, count);
    case ValueType::kString:
      break;
  }
  const Result<RowKeys> keys = OrderKeys(rows, column, stop);
  if (!keys) return false;
  return ForEachBlock(rows.rows(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint64_t key = kDescending ? ~(*keys)[row] : (*keys)[row];
      const auto number = static_cast<std::uint32_t>(row);
      if (column.has_nulls() && column.IsNullAt(rows.BaseRow(row))) {
        if (nulls.size() < count) nulls.push_back(number);
      } else if (!best.full() || key < best.worst().key) {
        best.Add({key, number});
      }
    }
  });
}

}  // namespace

Result<std::vector<std::uint32_t>> SelectRows(const RowSet& rows, const Column& column,
                                              bool descending, std::size_t count, StopToken stop) {
  std::vector<std::uint32_t> chosen;
  if (count == 0) return chosen;
  BestRows best(count);
  std::vector<std::uint32_t> nulls;
  const bool seen = descending ? AddRows<true>(rows, column, stop, best, nulls, count)
                               : AddRows<false>(rows, column, stop, best, nulls, count);
  if (!seen) return Cancelled();
  chosen.reserve(count);
  for (const KeyedRow& row : best.Sorted()) chosen.push_back(row.row);
  for (std::size_t i = 0; i < nulls.size() && chosen.size() < count; ++i)
    chosen.push_back(nulls[i]);
  return chosen;
}

}  // namespace rankd
