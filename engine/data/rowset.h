// RowSet: what flows along the edges of a plan. Shared immutable columns, plus one index vector
// that is selection and order at once (none when it is the identity). One pointer wide, so that a
// run's results are read and written as numbers are.
//
// A RowSet and its copies belong to one thread at a time: their count is a plain number, for an
// atomic one took half of the time of a node that only hands rows on. What another thread is to
// have goes there as Detached() or, held by tasks that threads share, as SharedRows. Columns are
// any thread's.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_slot.h"
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
  static RowSet Absent() { return RowSet(nullptr); }
  bool absent() const { return table_ == nullptr; }
  /// Becomes `rows`; must be absent.
  void Fill(RowSet&& rows) { table_ = std::exchange(rows.table_, nullptr); }
  /// Becomes Absent.
  void Drop() {
    if (table_ != nullptr) Release(std::exchange(table_, nullptr));
  }
  RowSet(const RowSet& other) : table_(other.table_) {
    if (table_ != nullptr) ++table_->handles;
  }
  RowSet(RowSet&& other) noexcept : table_(std::exchange(other.table_, nullptr)) {}
  RowSet& operator=(RowSet other) noexcept {
    std::swap(table_, other.table_);
    return *this;
  }
  ~RowSet() { Drop(); }
  /// One row for each of `ids` (an int column without nulls).
  explicit RowSet(ColumnRef ids);
  /// `entries` sorted by key, `id` first, all of one length, no repeats (RANKD_CHECK).
  explicit RowSet(std::vector<Entry> entries);

  std::size_t rows() const { return table_->rows; }
  /// Length of every column.
  std::size_t base_rows() const { return table_->base_rows; }
  /// Base-row number of each row; nullptr when row i is base row i.
  const SelectionRef& selection() const { return table_->selection; }
  std::uint32_t BaseRow(std::size_t row) const {
    return selection() ? (*selection())[row] : static_cast<std::uint32_t>(row);
  }

  /// The columns carried, sorted by key; `id` is the first.
  std::span<const Entry> entries() const { return table_->columns->own_entries(); }
  /// Moves or copies `rows`, without a branch on which.
  static RowSet MovedIf(RowSet& rows, bool move) {
    Table* const table = rows.table_;
    rows.table_ = move ? nullptr : table;
    table->handles += static_cast<std::uint32_t>(!move);
    return RowSet(table);
  }

  /// Nullptr when the rows do not carry `key`. Index it by BaseRow().
  const Column* Find(KeyId key) const;
  const Column& ids() const { return *entries().front().column; }
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

  /// The same rows, for another thread: shares columns with this one and its copies, and nothing
  /// that is counted without care.
  RowSet Detached() const;
  /// The same; *this where it has no copies.
  RowSet MovedOut() && { return table_->handles == 1 ? std::move(*this) : Detached(); }

 private:
  /// What a RowSet points to: one block of memory, with the entries behind it where they are its
  /// own. Immutable, but for its counts, while more than one RowSet points to it.
  struct Table {
    explicit Table(std::size_t base) : rows(base), base_rows(base) {}

    std::uint32_t handles = 1;              ///< RowSets of one thread that point here.
    std::atomic<std::uint32_t> holders{1};  ///< All of those count one; tables of any thread whose
                                            ///< `columns` this is.
    std::uint32_t entry_count = 0;          ///< Of its own.
    std::size_t rows;
    std::size_t base_rows;
    SelectionRef selection;
    Table* columns = this;  ///< Whose entries they are: this, or another that is referenced.

    Entry* own_data() { return reinterpret_cast<Entry*>(this + 1); }
    std::span<const Entry> own_entries() const {
      return {reinterpret_cast<const Entry*>(this + 1), entry_count};
    }
    /// There must be room; takes no more than was made room for.
    void Append(KeyId key, ColumnRef column) {
      std::construct_at(own_data() + entry_count, key, std::move(column));
      ++entry_count;
    }
  };
  static_assert(sizeof(Table) % alignof(Entry) == 0);

  friend class RowSetDropper;

  explicit RowSet(Table* table) : table_(table) {}
  static Table* NewTable(std::size_t base_rows, std::size_t room);
  /// One handle less.
  static void Release(Table* table) {
    if (--table->handles == 0) ReleaseHolder(table);
  }
  /// One holder less; destroys what nobody holds.
  static void ReleaseHolder(Table* table);
  /// These rows of the columns of `table`.
  static Table* NewTableOver(const Table& table, SelectionRef selection);
  /// With `column` for `key`; the others shared, or, without a selection then, `gathered`.
  RowSet Written(KeyId key, ColumnRef column, const Selection* gathered) const;

  Table* table_;
};

/// Drops RowSets without a branch on whether somebody has taken them, which nobody can predict.
/// One thread, that of the RowSets.
class RowSetDropper {
 public:
  /// For as many drops as there are numbers of 32 bits.
  void Begin() { nobody_.handles = std::numeric_limits<std::uint32_t>::max(); }
  /// rows.Drop()
  void Drop(RowSet& rows) {
    // A mask, for of a condition compilers make a branch.
    const auto table = std::bit_cast<std::uintptr_t>(std::exchange(rows.table_, nullptr));
    const std::uintptr_t none = std::uintptr_t{0} - static_cast<std::uintptr_t>(table == 0);
    auto* const counted =
        std::bit_cast<RowSet::Table*>(table | (std::bit_cast<std::uintptr_t>(&nobody_) & none));
    if (--counted->handles == 0) RowSet::ReleaseHolder(counted);
  }

 private:
  RowSet::Table nobody_{0};
};

/// Rows that several threads take copies of, such as those a task holds.
///
/// A thread with a slot (those of runs) gets a copy of one kept for it, which costs it no block of
/// memory and no atomic count: half of the time of a node that only hands rows on.
class SharedRows {
  struct Slot {
    RowSet rows = RowSet::Absent();
  };
  /// Each is its thread's.
  using Slots = std::array<Slot, kThreadSlots>;

 public:
  explicit SharedRows(RowSet rows) : rows_(std::move(rows)) {}
  SharedRows(const SharedRows&) = delete;
  SharedRows& operator=(const SharedRows&) = delete;
  /// On any thread, when no other one has copies any more.
  ~SharedRows() { delete slots_.load(); }

  /// Belongs to the calling thread. What goes to another from there goes Detached.
  RowSet Get() const {
    const std::uint32_t slot = ThreadSlot();
    if (slot == kNoThreadSlot) return rows_.Detached();
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr || (*slots)[slot].rows.absent()) [[unlikely]]
      return Fill(slot);
    return (*slots)[slot].rows;
  }
  /// To look at, not to copy.
  const RowSet& rows() const { return rows_; }

 private:
  RowSet Fill(std::uint32_t slot) const;

  const RowSet rows_;
  /// Elsewhere: few tasks hold rows that are asked for, and of many tasks the size counts.
  mutable std::atomic<Slots*> slots_{nullptr};
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
