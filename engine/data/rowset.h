// RowSet: what flows along the edges of a plan. Shared immutable columns, plus one index vector
// that is selection and order at once (none when it is the identity). Copies are two reference
// counts; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/data/column.h"
#include "engine/data/schema.h"

namespace rankd {

/// Base-row numbers, in output order; repeats are allowed.
using Selection = std::vector<std::uint32_t>;
using SelectionRef = std::shared_ptr<const Selection>;

/// More rows than this in one RowSet is limit_exceeded.
inline constexpr std::size_t kMaxRows = 100'000'000;

class RowSet {
 public:
  struct Entry {
    KeyId key;
    ColumnRef column;  ///< Never null, base_rows() long.
  };

  /// No rows, carrying `id` only.
  RowSet();
  /// Not even that: what is left of a RowSet that was moved from. To be assigned to or destroyed.
  static RowSet Absent() { return RowSet(Nothing()); }
  bool absent() const { return entries_ == nullptr; }
  /// Becomes `rows`; must be absent.
  void Fill(RowSet&& rows) { std::construct_at(this, std::move(rows)); }
  /// Becomes Absent.
  void Drop() {
    entries_.reset();
    selection_.reset();
  }
  /// One row for each of `ids` (an int column without nulls).
  explicit RowSet(ColumnRef ids);
  /// `entries` sorted by key, `id` first, all of one length, no repeats (RANKD_CHECK).
  explicit RowSet(std::vector<Entry> entries);

  std::size_t rows() const { return selection_ ? selection_->size() : base_rows_; }
  /// Length of every column.
  std::size_t base_rows() const { return base_rows_; }
  /// Base-row number of each row; nullptr when row i is base row i.
  const SelectionRef& selection() const { return selection_; }
  std::uint32_t BaseRow(std::size_t row) const {
    return selection_ ? (*selection_)[row] : static_cast<std::uint32_t>(row);
  }

  /// The columns carried, sorted by key; `id` is the first.
  std::span<const Entry> entries() const { return *entries_; }
  /// Nullptr when the rows do not carry `key`. Index it by BaseRow().
  const Column* Find(KeyId key) const;
  const Column& ids() const { return *entries_->front().column; }
  std::int64_t IdAt(std::size_t row) const { return ids().ints()[BaseRow(row)]; }

  /// The same columns, these base rows.
  RowSet WithSelection(SelectionRef selection) const& {
    return RowSet(*this).WithSelection(std::move(selection));
  }
  RowSet WithSelection(SelectionRef selection) &&;
  /// Rows `offset`, … of this order, at most `count`. Copies indices at most.
  RowSet Slice(std::size_t offset, std::size_t count) const& {
    return RowSet(*this).Slice(offset, count);
  }
  RowSet Slice(std::size_t offset, std::size_t count) &&;
  /// The rows, in this order, `key` written with `column`, which has rows() values in this order.
  /// Without a selection the other columns are shared; with one, `column` is scattered to base
  /// rows, or, where few rows are selected or rows repeat, everything is compacted.
  RowSet WithColumn(KeyId key, ColumnRef column) const;
  /// The same rows without a selection; *this when there is none.
  RowSet Compact() const;

 private:
  struct Nothing {};
  /// With `column` for `key`; the others shared, or, without a selection then, `gathered`.
  RowSet Written(KeyId key, ColumnRef column, const Selection* gathered) const;
  explicit RowSet(Nothing) {}

  std::shared_ptr<const std::vector<Entry>> entries_;
  SelectionRef selection_;
  std::size_t base_rows_ = 0;
};

/// Fails with null_value, naming the key and the id of the first row that is null, when
/// `column` (one value for each of `rows`, in order) holds a null and the key forbids it.
[[nodiscard]] Result<void> CheckNulls(const Schema& schema, KeyId key, const Column& column,
                                      const RowSet& rows);

/// What fills rows that lack `key`: `rows` times its default, else null; null_value where that is
/// null and the key forbids it (and rows > 0; `first_id` is the id named in the message).
[[nodiscard]] Result<ColumnRef> FillColumn(const Schema& schema, KeyId key, std::size_t rows,
                                           std::int64_t first_id);

/// The parts' rows one after the other; keys are the union, what a part lacks is filled.
/// A part without rows adds its keys only.
[[nodiscard]] Result<RowSet> Concat(const Schema& schema, std::span<const RowSet> parts);

}  // namespace rankd
