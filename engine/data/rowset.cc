#include "engine/data/rowset.h"

#include <algorithm>
#include <string>

#include "engine/base/check.h"

namespace rankd {
namespace {

bool KeyBefore(const RowSet::Entry& entry, KeyId key) { return entry.key < key; }

/// Fewer selected rows than base rows / this: compacting is cheaper than scattering.
constexpr std::size_t kSparse = 4;

template <typename T>
std::vector<T> ScatterValues(std::span<const T> values, const Selection& selection,
                             std::size_t base_rows) {
  std::vector<T> scattered(base_rows);
  for (std::size_t i = 0; i < selection.size(); ++i) scattered[selection[i]] = values[i];
  return scattered;
}

/// A column of `base_rows` slots with value i of `column` at slot selection[i]; the other slots
/// hold zeros and are never looked at through this selection, but count as null.
ColumnRef Scatter(const Column& column, const Selection& selection, std::size_t base_rows) {
  Bitmap validity;
  if (column.has_nulls()) {
    validity = Bitmap(base_rows, true);
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (column.IsNullAt(i)) validity.Clear(selection[i]);
    }
  }
  switch (column.type()) {
    case ValueType::kInt:
      return Column::Make(ScatterValues(column.ints(), selection, base_rows), std::move(validity));
    case ValueType::kFloat:
      return Column::Make(ScatterValues(column.floats(), selection, base_rows),
                          std::move(validity));
    case ValueType::kBool:
      return Column::Make(ScatterValues(column.bools(), selection, base_rows), std::move(validity));
    case ValueType::kString:
      return Column::Make(
          Column::Strings{ScatterValues(column.codes(), selection, base_rows), column.dictionary()},
          std::move(validity));
  }
  return nullptr;
}

/// True when no base row stands in `selection` twice.
bool AllDistinct(const Selection& selection, std::size_t base_rows) {
  if (selection.size() > base_rows) return false;
  Bitmap seen(base_rows, false);
  for (const std::uint32_t row : selection) {
    if (seen.Get(row)) return false;
    seen.Set(row);
  }
  return true;
}

}  // namespace

RowSet::Table* RowSet::NewTable(std::size_t base_rows, std::size_t room) {
  static_assert(alignof(Table) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  void* const memory = ::operator new(sizeof(Table) + room * sizeof(Entry));
  return new (memory) Table(base_rows);
}

void RowSet::ReleaseHolder(Table* table) {
  // The last holder needs no atomic decrement: nobody else can make it two.
  if (table->holders.load(std::memory_order_acquire) != 1 &&
      table->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  std::destroy_n(table->own_data(), table->entry_count);
  if (table->columns != table) ReleaseHolder(table->columns);
  std::destroy_at(table);
  ::operator delete(table);
}

RowSet::Table* RowSet::NewTableOver(const Table& table, SelectionRef selection) {
  Table* const made = NewTable(table.base_rows, 0);
  made->columns = table.columns;
  made->columns->holders.fetch_add(1, std::memory_order_relaxed);
  if (selection) made->rows = selection->size();
  made->selection = std::move(selection);
  return made;
}

RowSet RowSet::Detached() const { return RowSet(NewTableOver(*table_, selection())); }

RowSet SharedRows::Fill(std::uint32_t slot) const {
  Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) {
    auto made = std::make_unique<Slots>();
    // Another thread may have been first.
    if (slots_.compare_exchange_strong(slots, made.get())) slots = made.release();
  }
  RowSet& own = (*slots)[slot].rows;
  if (own.absent()) own.Fill(rows_.Detached());
  return own;
}

RowSet::RowSet() : RowSet(Column::Make(Column::Ints())) {}

RowSet::RowSet(ColumnRef ids) : table_(NewTable(ids->size(), 1)) {
  RANKD_CHECK(ids->type() == ValueType::kInt && !ids->has_nulls());
  table_->Append(kIdKey, std::move(ids));
}

RowSet::RowSet(std::vector<Entry> entries)
    : table_(NewTable(entries.empty() ? 0 : entries.front().column->size(), entries.size())) {
  RANKD_CHECK(!entries.empty() && entries.front().key == kIdKey);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    RANKD_CHECK(i == 0 || entries[i - 1].key < entries[i].key);
    RANKD_CHECK(entries[i].column->size() == table_->base_rows);
    table_->Append(entries[i].key, std::move(entries[i].column));
  }
}

const Column* RowSet::Find(KeyId key) const {
  const std::span<const Entry> all = entries();
  const auto found = std::lower_bound(all.begin(), all.end(), key, KeyBefore);
  return found != all.end() && found->key == key ? found->column.get() : nullptr;
}

RowSet RowSet::WithSelection(SelectionRef selection) && {
  if (table_->handles > 1) {
    Table* const other = NewTableOver(*table_, std::move(selection));
    Release(std::exchange(table_, other));
    return std::move(*this);
  }
  table_->rows = selection ? selection->size() : table_->base_rows;
  table_->selection = std::move(selection);
  return std::move(*this);
}

RowSet RowSet::Slice(std::size_t offset, std::size_t count) && {
  const std::size_t all = rows();
  offset = std::min(offset, all);
  count = std::min(count, all - offset);
  if (offset == 0 && count == all) return std::move(*this);
  Selection selection(count);
  for (std::size_t i = 0; i < count; ++i) selection[i] = BaseRow(offset + i);
  return std::move(*this).WithSelection(std::make_shared<const Selection>(std::move(selection)));
}

RowSet RowSet::WithColumn(KeyId key, ColumnRef column) const {
  RANKD_CHECK(column->size() == rows());
  const Selection* const selected = selection().get();
  if (selected != nullptr &&
      (rows() < base_rows() / kSparse || !AllDistinct(*selected, base_rows()))) {
    return Written(key, std::move(column), selected);
  }
  if (selected != nullptr) column = Scatter(*column, *selected, base_rows());
  return Written(key, std::move(column), nullptr);
}

RowSet RowSet::Written(KeyId key, ColumnRef column, const Selection* gathered) const {
  const std::span<const Entry> old = entries();
  RowSet written(NewTable(column->size(), old.size() + 1));
  if (gathered == nullptr && selection()) {
    written.table_->selection = selection();
    written.table_->rows = rows();
  }
  const auto keep = [&](const Entry& entry) {
    written.table_->Append(entry.key,
                           gathered == nullptr ? entry.column : entry.column->Gather(*gathered));
  };
  auto entry = old.begin();
  for (; entry != old.end() && entry->key < key; ++entry) keep(*entry);
  written.table_->Append(key, std::move(column));
  if (entry != old.end() && entry->key == key) ++entry;
  for (; entry != old.end(); ++entry) keep(*entry);
  return written;
}

RowSet RowSet::Compact() const {
  if (!selection()) return *this;
  RowSet compact(NewTable(rows(), entries().size()));
  for (const Entry& entry : entries()) {
    compact.table_->Append(entry.key, entry.column->Gather(*selection()));
  }
  return compact;
}

Result<void> CheckNulls(const Schema& schema, KeyId key, const Column& column, const RowSet& rows) {
  const KeySpec& spec = schema.key(key);
  if (spec.nullable || !column.has_nulls()) return {};
  std::size_t row = 0;
  while (!column.IsNullAt(row)) ++row;
  return Fail(ErrorCode::kNullValue, "key \"" + spec.name + "\" may not be null, but is for id " +
                                         std::to_string(rows.IdAt(row)));
}

Result<ColumnRef> FillColumn(const Schema& schema, KeyId key, std::size_t rows,
                             std::int64_t first_id) {
  const KeySpec& spec = schema.key(key);
  if (IsNull(spec.default_value) && !spec.nullable && rows > 0) {
    return Fail(ErrorCode::kNullValue, "key \"" + spec.name +
                                           "\" may not be null and has no default, but id " +
                                           std::to_string(first_id) + " lacks it");
  }
  return Column::Constant(spec.type, spec.default_value, rows);
}

}  // namespace rankd
