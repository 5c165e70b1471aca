#include <algorithm>
#include <limits>
#include <string>

#include "engine/data/rowset.h"

namespace rankd {
namespace {

/// The keys that any part carries, sorted.
std::vector<KeyId> UnionOfKeys(std::span<const RowSet> parts) {
  std::vector<KeyId> keys;
  for (const RowSet& part : parts) {
    for (const RowSet::Entry& entry : part.entries()) keys.push_back(entry.key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// The values of `key` for the rows of `part`, in order; filled where the part lacks the key.
Result<ColumnRef> DenseColumn(const Schema& schema, const RowSet& part, KeyId key) {
  for (const RowSet::Entry& entry : part.entries()) {
    if (entry.key != key) continue;
    return part.selection() ? entry.column->Gather(*part.selection()) : entry.column;
  }
  return FillColumn(schema, key, part.rows(), part.rows() > 0 ? part.IdAt(0) : 0);
}

Bitmap JoinValidity(std::span<const ColumnRef> columns, std::size_t rows) {
  const bool nulls = std::any_of(columns.begin(), columns.end(),
                                 [](const ColumnRef& column) { return column->has_nulls(); });
  if (!nulls) return {};
  Bitmap validity(rows, true);
  std::size_t begin = 0;
  for (const ColumnRef& column : columns) {
    for (std::size_t i = 0; column->has_nulls() && i < column->size(); ++i) {
      if (column->IsNullAt(i)) validity.Clear(begin + i);
    }
    begin += column->size();
  }
  return validity;
}

template <typename T>
std::vector<T> JoinValues(std::span<const ColumnRef> columns, std::size_t rows,
                          std::span<const T> (Column::*values)() const) {
  std::vector<T> joined;
  joined.reserve(rows);
  for (const ColumnRef& column : columns) {
    const std::span<const T> part = ((*column).*values)();
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return joined;
}

/// Each part's dictionary entry is interned once, when a row first uses it.
Column::Strings JoinStrings(std::span<const ColumnRef> columns, std::size_t rows) {
  constexpr std::uint32_t kNotYet = std::numeric_limits<std::uint32_t>::max();
  const bool one_dictionary =
      std::all_of(columns.begin(), columns.end(), [&](const ColumnRef& column) {
        return column->dictionary() == columns.front()->dictionary();
      });
  Column::Strings joined;
  if (one_dictionary) {
    joined.codes = JoinValues(columns, rows, &Column::codes);
    joined.dictionary = columns.front()->dictionary();
    return joined;
  }
  DictionaryBuilder dictionary;
  joined.codes.reserve(rows);
  for (const ColumnRef& column : columns) {
    const Dictionary& old = *column->dictionary();
    std::vector<std::uint32_t> code_of(old.size(), kNotYet);
    const std::span<const std::uint32_t> codes = column->codes();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (column->IsNullAt(i)) {
        joined.codes.push_back(0);
        continue;
      }
      std::uint32_t& code = code_of[codes[i]];
      if (code == kNotYet) code = dictionary.Intern(old.At(codes[i]));
      joined.codes.push_back(code);
    }
  }
  joined.dictionary = std::move(dictionary).Finish();
  return joined;
}

ColumnRef JoinColumns(ValueType type, std::span<const ColumnRef> columns, std::size_t rows) {
  Bitmap validity = JoinValidity(columns, rows);
  switch (type) {
    case ValueType::kInt:
      return Column::Make(JoinValues(columns, rows, &Column::ints), std::move(validity));
    case ValueType::kFloat:
      return Column::Make(JoinValues(columns, rows, &Column::floats), std::move(validity));
    case ValueType::kBool:
      return Column::Make(JoinValues(columns, rows, &Column::bools), std::move(validity));
    case ValueType::kString:
      return Column::Make(JoinStrings(columns, rows), std::move(validity));
  }
  return nullptr;
}

}  // namespace

Result<RowSet> Concat(const Schema& schema, std::span<const RowSet> parts) {
  std::size_t rows = 0;
  for (const RowSet& part : parts) rows += part.rows();
  if (rows > kMaxRows) {
    return Fail(ErrorCode::kLimitExceeded,
                "more than " + std::to_string(kMaxRows) + " rows in one result");
  }
  std::vector<RowSet::Entry> entries;
  std::vector<ColumnRef> columns;
  for (const KeyId key : UnionOfKeys(parts)) {
    columns.clear();
    for (const RowSet& part : parts) {
      RANKD_TRY(ColumnRef column, DenseColumn(schema, part, key));
      columns.push_back(std::move(column));
    }
    entries.push_back({key, JoinColumns(schema.key(key).type, columns, rows)});
  }
  if (entries.empty()) return RowSet();
  return RowSet(std::move(entries));
}

}  // namespace rankd
