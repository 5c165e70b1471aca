#include "engine/data/rowset.h"

#include <algorithm>
#include <string>

#include "engine/base/check.h"

namespace rankd {
namespace {

/// One shared empty id column's worth of entries, made anew each time: RowSets without rows are
/// rare and a static would be shared between threads for no gain.
std::shared_ptr<const std::vector<RowSet::Entry>> OnlyIds(ColumnRef ids) {
  std::vector<RowSet::Entry> entries;
  entries.push_back({kIdKey, std::move(ids)});
  return std::make_shared<const std::vector<RowSet::Entry>>(std::move(entries));
}

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

RowSet::RowSet() : RowSet(Column::Make(Column::Ints())) {}

RowSet::RowSet(ColumnRef ids) : base_rows_(ids->size()) {
  RANKD_CHECK(ids->type() == ValueType::kInt && !ids->has_nulls());
  entries_ = OnlyIds(std::move(ids));
}

RowSet::RowSet(std::vector<Entry> entries) {
  RANKD_CHECK(!entries.empty() && entries.front().key == kIdKey);
  base_rows_ = entries.front().column->size();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    RANKD_CHECK(entries[i - 1].key < entries[i].key);
    RANKD_CHECK(entries[i].column->size() == base_rows_);
  }
  entries_ = std::make_shared<const std::vector<Entry>>(std::move(entries));
}

const Column* RowSet::Find(KeyId key) const {
  const auto found = std::lower_bound(entries_->begin(), entries_->end(), key, KeyBefore);
  return found != entries_->end() && found->key == key ? found->column.get() : nullptr;
}

RowSet RowSet::WithSelection(SelectionRef selection) && {
  selection_ = std::move(selection);
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
  if (selection_ && (rows() < base_rows_ / kSparse || !AllDistinct(*selection_, base_rows_))) {
    return Written(key, std::move(column), selection_.get());
  }
  if (selection_) column = Scatter(*column, *selection_, base_rows_);
  return Written(key, std::move(column), nullptr);
}

RowSet RowSet::Written(KeyId key, ColumnRef column, const Selection* gathered) const {
  RowSet written = RowSet::Absent();
  written.base_rows_ = column->size();
  if (gathered == nullptr) written.selection_ = selection_;
  std::vector<Entry> entries;
  entries.reserve(entries_->size() + 1);
  const auto keep = [&](const Entry& entry) {
    entries.push_back(
        {entry.key, gathered == nullptr ? entry.column : entry.column->Gather(*gathered)});
  };
  auto entry = entries_->begin();
  for (; entry != entries_->end() && entry->key < key; ++entry) keep(*entry);
  entries.push_back({key, std::move(column)});
  if (entry != entries_->end() && entry->key == key) ++entry;
  for (; entry != entries_->end(); ++entry) keep(*entry);
  written.entries_ = std::make_shared<const std::vector<Entry>>(std::move(entries));
  return written;
}

RowSet RowSet::Compact() const {
  if (!selection_) return *this;
  std::vector<Entry> entries;
  entries.reserve(entries_->size());
  for (const Entry& entry : *entries_) {
    entries.push_back({entry.key, entry.column->Gather(*selection_)});
  }
  return RowSet(std::move(entries));
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
