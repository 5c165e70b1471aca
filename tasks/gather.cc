#include "tasks/gather.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tasks/row_index.h"

namespace rankd {
namespace {

template <typename T>
std::vector<T> Values(std::span<const T> slots, std::span<const std::uint32_t> rows, T fill) {
  std::vector<T> values(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values[i] = rows[i] == kNoRow ? fill : slots[rows[i]];
  }
  return values;
}

Bitmap Validity(const Column& column, std::span<const std::uint32_t> rows, bool fill_is_null) {
  if (!column.has_nulls() && !fill_is_null) return {};
  Bitmap validity(rows.size(), true);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == kNoRow ? fill_is_null : column.IsNullAt(rows[i])) validity.Clear(i);
  }
  return validity;
}

/// `dictionary` with `text`, and the code of that. Codes stay what they are.
std::pair<DictionaryRef, std::uint32_t> WithText(const DictionaryRef& dictionary,
                                                 std::string_view text) {
  for (std::uint32_t code = 0; code < dictionary->size(); ++code) {
    if (dictionary->At(code) == text) return {dictionary, code};
  }
  DictionaryBuilder builder;  // numbers strings in the order they come in
  for (std::uint32_t code = 0; code < dictionary->size(); ++code) {
    builder.Intern(dictionary->At(code));
  }
  const std::uint32_t code = builder.Intern(text);
  return {std::move(builder).Finish(), code};
}

template <typename T, typename Wanted>
T FillValue(const Value& fill) {
  const Wanted* value = std::get_if<Wanted>(&fill);
  return value == nullptr ? T{} : static_cast<T>(*value);
}

}  // namespace

ColumnRef GatherOrFill(const Column& column, std::span<const std::uint32_t> rows,
                       const Value& fill) {
  if (std::find(rows.begin(), rows.end(), kNoRow) == rows.end()) return column.Gather(rows);
  Bitmap validity = Validity(column, rows, IsNull(fill));
  switch (column.type()) {
    case ValueType::kInt:
      return Column::Make(Values(column.ints(), rows, FillValue<std::int64_t, std::int64_t>(fill)),
                          std::move(validity));
    case ValueType::kFloat:
      return Column::Make(Values(column.floats(), rows, FillValue<double, double>(fill)),
                          std::move(validity));
    case ValueType::kBool:
      return Column::Make(Values(column.bools(), rows, FillValue<std::uint8_t, bool>(fill)),
                          std::move(validity));
    case ValueType::kString:
      break;
  }
  std::pair<DictionaryRef, std::uint32_t> filled{column.dictionary(), 0};
  if (const std::string* text = std::get_if<std::string>(&fill)) {
    filled = WithText(column.dictionary(), *text);
  }
  return Column::Make(
      Column::Strings{Values(column.codes(), rows, filled.second), std::move(filled.first)},
      std::move(validity));
}

}  // namespace rankd
