#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "engine/data/rowset.h"

namespace rankd {
namespace {

/// The values of one key in one part.
struct Source {
  const Column* column;
  const Selection* selection;  ///< Nullptr: all of the column.

  std::size_t rows() const { return selection != nullptr ? selection->size() : column->size(); }
  std::size_t Slot(std::size_t row) const { return selection != nullptr ? (*selection)[row] : row; }
};

bool SameKeys(std::span<const KeyId> keys, std::span<const RowSet::Entry> entries) {
  return std::ranges::equal(keys, entries, {}, {}, &RowSet::Entry::key);
}

/// The keys that any part carries, sorted. Parts are often many and alike.
std::vector<KeyId> UnionOfKeys(std::span<const RowSet> parts) {
  std::vector<KeyId> keys;
  for (const RowSet& part : parts) {
    if (SameKeys(keys, part.entries())) continue;
    std::vector<KeyId> more;
    for (const RowSet::Entry& entry : part.entries()) more.push_back(entry.key);
    std::vector<KeyId> both;
    std::ranges::set_union(keys, more, std::back_inserter(both));
    keys = std::move(both);
  }
  return keys;
}

/// The sources of `key`, one for each part that has rows; where a part lacks the key it is filled
/// with a column that `fills` keeps.
Result<void> FindSources(const Schema& schema, std::span<const RowSet> parts, KeyId key,
                         std::vector<Source>& sources, std::vector<ColumnRef>& fills) {
  sources.clear();
  fills.clear();
  std::size_t place = 0;  // of the key in the last part: very likely in this one too
  for (const RowSet& part : parts) {
    if (part.rows() == 0) continue;
    const std::span<const RowSet::Entry> entries = part.entries();
    if (place >= entries.size() || entries[place].key != key) {
      const auto found = std::ranges::lower_bound(entries, key, {}, &RowSet::Entry::key);
      place = static_cast<std::size_t>(found - entries.begin());
    }
    if (place < entries.size() && entries[place].key == key) {
      sources.push_back({entries[place].column.get(), part.selection().get()});
      continue;
    }
    RANKD_TRY(ColumnRef fill, FillColumn(schema, key, part.rows(), part.IdAt(0)));
    fills.push_back(std::move(fill));
    sources.push_back({fills.back().get(), nullptr});
  }
  return {};
}

Bitmap JoinValidity(std::span<const Source> sources, std::size_t rows) {
  Bitmap validity;
  std::size_t begin = 0;
  for (const Source& source : sources) {
    const std::size_t count = source.rows();
    for (std::size_t i = 0; source.column->has_nulls() && i < count; ++i) {
      if (!source.column->IsNullAt(source.Slot(i))) continue;
      if (validity.size() == 0) validity = Bitmap(rows, true);
      validity.Clear(begin + i);
    }
    begin += count;
  }
  return validity;
}

template <typename T>
std::vector<T> JoinValues(std::span<const Source> sources, std::size_t rows,
                          std::span<const T> (Column::*values)() const) {
  std::vector<T> joined;
  joined.reserve(rows);
  for (const Source& source : sources) {
    const std::span<const T> part = ((*source.column).*values)();
    if (source.selection == nullptr) {
      joined.insert(joined.end(), part.begin(), part.end());
    } else {
      for (const std::uint32_t slot : *source.selection) joined.push_back(part[slot]);
    }
  }
  return joined;
}

/// Each dictionary's entry is interned once, when a row first uses it.
Column::Strings JoinStrings(std::span<const Source> sources, std::size_t rows) {
  constexpr std::uint32_t kNotYet = std::numeric_limits<std::uint32_t>::max();
  const Dictionary* const first =
      sources.empty() ? nullptr : sources.front().column->dictionary().get();
  Column::Strings joined;
  if (first != nullptr && std::ranges::all_of(sources, [&](const Source& source) {
        return source.column->dictionary().get() == first;
      })) {
    joined.codes = JoinValues(sources, rows, &Column::codes);
    joined.dictionary = sources.front().column->dictionary();
    return joined;
  }
  DictionaryBuilder dictionary;
  joined.codes.reserve(rows);
  std::vector<std::uint32_t> code_of;
  const Dictionary* of = nullptr;  ///< What `code_of` is about: parts side by side often share it.
  for (const Source& source : sources) {
    const Dictionary& old = *source.column->dictionary();
    if (of != &old) code_of.assign(old.size(), kNotYet);
    of = &old;
    const std::span<const std::uint32_t> codes = source.column->codes();
    for (std::size_t i = 0, count = source.rows(); i < count; ++i) {
      const std::size_t slot = source.Slot(i);
      if (source.column->IsNullAt(slot)) {
        joined.codes.push_back(0);
        continue;
      }
      std::uint32_t& code = code_of[codes[slot]];
      if (code == kNotYet) code = dictionary.Intern(old.At(codes[slot]));
      joined.codes.push_back(code);
    }
  }
  joined.dictionary = std::move(dictionary).Finish();
  return joined;
}

ColumnRef JoinColumns(ValueType type, std::span<const Source> sources, std::size_t rows) {
  Bitmap validity = JoinValidity(sources, rows);
  switch (type) {
    case ValueType::kInt:
      return Column::Make(JoinValues(sources, rows, &Column::ints), std::move(validity));
    case ValueType::kFloat:
      return Column::Make(JoinValues(sources, rows, &Column::floats), std::move(validity));
    case ValueType::kBool:
      return Column::Make(JoinValues(sources, rows, &Column::bools), std::move(validity));
    case ValueType::kString:
      return Column::Make(JoinStrings(sources, rows), std::move(validity));
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
  std::vector<Source> sources;
  std::vector<ColumnRef> fills;
  for (const KeyId key : UnionOfKeys(parts)) {
    RANKD_TRY(FindSources(schema, parts, key, sources, fills));
    entries.push_back({key, JoinColumns(schema.key(key).type, sources, rows)});
  }
  if (entries.empty()) return RowSet();
  return RowSet(std::move(entries));
}

}  // namespace rankd
