#include "tasks/row_index.h"

#include <memory_resource>
#include <string_view>
#include <unordered_map>

#include "engine/base/blocks.h"
#include "engine/data/row_keys.h"
#include "tasks/quote.h"

namespace rankd {
namespace {

/// Codes of one dictionary as codes of another.
class CodeTranslation {
 public:
  /// `used`: the codes of `to` that may be looked for.
  CodeTranslation(const Dictionary& from, const Dictionary& to) : from_(&from), to_(&to) {}

  void Add(std::uint32_t code) { code_of_.emplace(to_->At(code), code); }

  /// FlatMap::kNone where the other dictionary has no such string (or none that was added).
  std::uint32_t Translate(std::uint64_t code) {
    const std::uint32_t known = translated_.Find(code);
    if (known != FlatMap::kNone) return known == kNowhere ? FlatMap::kNone : known;
    const auto found = code_of_.find(from_->At(static_cast<std::uint32_t>(code)));
    const std::uint32_t translated = found == code_of_.end() ? FlatMap::kNone : found->second;
    translated_.FindOrInsert(code, translated == FlatMap::kNone ? kNowhere : translated);
    return translated;
  }

 private:
  static constexpr std::uint32_t kNowhere = FlatMap::kNone - 1;

  const Dictionary* from_;
  const Dictionary* to_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<std::string_view, std::uint32_t> code_of_{&memory_};
  FlatMap translated_;
};

}  // namespace

Result<RowIndex> RowIndex::Build(const RowSet& rows, KeyId key, const Schema& schema, bool unique,
                                 StopToken stop) {
  RowIndex index;
  index.column_ = rows.Find(key);
  if (index.column_ == nullptr) return index;
  const Column& column = *index.column_;
  RANKD_TRY(const RowKeys keys, EqualityKeys(rows, column, stop));
  std::uint32_t repeated = kNoRow;
  const bool done = ForEachBlock(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && repeated == kNoRow; ++i) {
      const std::uint32_t base_row = rows.BaseRow(i);
      if (column.IsNullAt(base_row)) continue;
      const bool added = index.base_row_of_.FindOrInsert(keys[i], base_row).second;
      if (!added && unique) repeated = base_row;
    }
  });
  if (!done) return Cancelled();
  if (repeated != kNoRow) {
    return Fail(ErrorCode::kDuplicateKey, "the right input has \"" + schema.key(key).name + "\" " +
                                              DescribeValue(column, repeated) + " more than once");
  }
  return index;
}

Result<std::vector<std::uint32_t>> RowIndex::Match(const RowSet& others, KeyId key,
                                                   StopToken stop) {
  std::vector<std::uint32_t> matches(others.rows(), kNoRow);
  const Column* column = others.Find(key);
  if (column == nullptr || column_ == nullptr || base_row_of_.size() == 0) return matches;
  RANKD_TRY(RowKeys keys, EqualityKeys(others, *column, stop));
  const bool translate =
      column->type() == ValueType::kString && column->dictionary() != column_->dictionary();
  std::optional<CodeTranslation> codes;
  if (translate) {
    codes.emplace(*column->dictionary(), *column_->dictionary());
    base_row_of_.ForEachKey(
        [&](std::uint64_t code) { codes->Add(static_cast<std::uint32_t>(code)); });
  }
  const bool done = ForEachBlock(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (column->IsNullAt(others.BaseRow(i))) continue;
      std::uint64_t wanted = keys[i];
      if (translate) {
        const std::uint32_t code = codes->Translate(wanted);
        if (code == FlatMap::kNone) continue;
        wanted = code;
      }
      matches[i] = base_row_of_.Find(wanted);
    }
  });
  if (!done) return Cancelled();
  return matches;
}

}  // namespace rankd
