#include "engine/data/row_keys.h"

#include <bit>
#include <cstddef>
#include <span>
#include <string_view>

#include "engine/base/blocks.h"
#include "engine/base/flat_map.h"
#include "engine/data/merge_sort.h"

namespace rankd {
namespace {

std::uint64_t SameNumber(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::uint64_t SameNumber(double value) {
  return std::bit_cast<std::uint64_t>(value + 0.0);  // -0.0 + 0.0 is 0.0
}
std::uint64_t SameNumber(std::uint8_t value) { return value; }
std::uint64_t SameNumber(std::uint32_t value) { return value; }

/// `number_of(slot)` for each row.
template <typename T, typename F>
Result<RowKeys> KeysOf(const RowSet& rows, std::span<const T> slots, StopToken stop, F number_of) {
  RowKeys keys(rows.rows());
  const Selection* selection = rows.selection().get();
  const bool done = ForEachBlock(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
    if (selection == nullptr) {
      for (std::size_t i = begin; i < end; ++i) keys[i] = number_of(slots[i]);
    } else {
      for (std::size_t i = begin; i < end; ++i) keys[i] = number_of(slots[(*selection)[i]]);
    }
  });
  if (!done) return Cancelled();
  return keys;
}

/// A distinct string. Most comparisons end in the first eight bytes.
struct Text {
  std::uint64_t prefix = 0;  ///< The first eight bytes, big-endian, zeros past the end.
  std::uint32_t code = 0;
  std::uint32_t number = 0;  ///< Among the strings ranked.
};

std::uint64_t Prefix(std::string_view text) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return prefix;
}

/// The strings that rows use, each once. Replaces `codes_and_numbers`, a code for each row, by the
/// number of its string among them.
Result<std::vector<Text>> DistinctTexts(const RowSet& rows, const Column& column, RowKeys& keys,
                                        StopToken stop) {
  const Dictionary& dictionary = *column.dictionary();
  std::vector<Text> texts;
  const auto add = [&](std::uint32_t code) {
    texts.push_back({Prefix(dictionary.At(code)), code, static_cast<std::uint32_t>(texts.size())});
  };
  if (dictionary.size() / 2 <= rows.rows()) {  // all of them; numbers are codes
    texts.reserve(dictionary.size());
    for (std::uint32_t code = 0; code < dictionary.size(); ++code) add(code);
    return texts;
  }
  FlatMap number_of;
  const bool done = ForEachBlock(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (column.IsNullAt(rows.BaseRow(i))) continue;
      const auto [number, added] =
          number_of.FindOrInsert(keys[i], static_cast<std::uint32_t>(texts.size()));
      if (added) add(static_cast<std::uint32_t>(keys[i]));
      keys[i] = number;
    }
  });
  if (!done) return Cancelled();
  return texts;
}

Result<RowKeys> StringOrderKeys(const RowSet& rows, const Column& column, StopToken stop) {
  RANKD_TRY(RowKeys keys, EqualityKeys(rows, column, stop));
  RANKD_TRY(std::vector<Text> texts, DistinctTexts(rows, column, keys, stop));
  const Dictionary& dictionary = *column.dictionary();
  const auto less = [&](const Text& a, const Text& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return dictionary.At(a.code) < dictionary.At(b.code);
  };
  if (!MergeSort(texts, less, stop)) return Cancelled();
  std::vector<std::uint32_t> rank(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    rank[texts[i].number] = static_cast<std::uint32_t>(i);
  }
  const bool done = ForEachBlock(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!column.IsNullAt(rows.BaseRow(i))) keys[i] = rank[keys[i]];
    }
  });
  if (!done) return Cancelled();
  return keys;
}

}  // namespace

Result<RowKeys> EqualityKeys(const RowSet& rows, const Column& column, StopToken stop) {
  const auto same = [](auto slot) { return SameNumber(slot); };
  switch (column.type()) {
    case ValueType::kInt:
      return KeysOf(rows, column.ints(), stop, same);
    case ValueType::kFloat:
      return KeysOf(rows, column.floats(), stop, same);
    case ValueType::kBool:
      return KeysOf(rows, column.bools(), stop, same);
    case ValueType::kString:
      break;
  }
  return KeysOf(rows, column.codes(), stop, same);
}

Result<RowKeys> OrderKeys(const RowSet& rows, const Column& column, StopToken stop) {
  const auto ordered = [](auto slot) { return OrderKey(slot); };
  switch (column.type()) {
    case ValueType::kInt:
      return KeysOf(rows, column.ints(), stop, ordered);
    case ValueType::kFloat:
      return KeysOf(rows, column.floats(), stop, ordered);
    case ValueType::kBool:
      return KeysOf(rows, column.bools(), stop, ordered);
    case ValueType::kString:
      break;
  }
  return StringOrderKeys(rows, column, stop);
}

}  // namespace rankd
