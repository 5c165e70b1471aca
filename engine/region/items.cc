#include "engine/region/items.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "engine/data/grouping.h"
#include "engine/region/outline.h"

namespace rankd {
namespace {

/// A row, when it is put into its group.
constexpr double kCutNanoseconds = 30;

/// A param that goes with one value of `over` only.
bool RefuseUnless(TaskBuilder& builder, bool suits, std::string_view param, std::string_view over) {
  if (suits || builder.Find(param) == nullptr) return true;
  builder.Problem(
      "/" + std::string(param),
      "\"" + std::string(param) + "\" goes with \"over\": \"" + std::string(over) + "\" only");
  return false;
}

}  // namespace

std::optional<ItemCut> ItemCut::Read(TaskBuilder& builder, bool required) {
  if (!required && builder.Find("over") == nullptr) {
    RefuseUnless(builder, false, "chunk_size", "chunks");
    RefuseUnless(builder, false, "by", "groups");
    return std::nullopt;
  }
  const std::optional<std::size_t> over =
      builder.Choice("over", {"rows", "chunks", "groups"}, std::nullopt);
  if (!over) return std::nullopt;
  ItemCut cut;
  cut.over_ = static_cast<Over>(*over);
  cut.text_ = "over rows";
  bool sound = RefuseUnless(builder, cut.over_ == Over::kChunks, "chunk_size", "chunks");
  sound = RefuseUnless(builder, cut.over_ == Over::kGroups, "by", "groups") && sound;
  if (cut.over_ == Over::kChunks) {
    const std::optional<NumberParam> size =
        builder.Number("chunk_size", 1, std::numeric_limits<std::int64_t>::max(), std::nullopt);
    sound = sound && size.has_value();
    if (size) {
      cut.chunk_size_ = *size;
      cut.text_ = "over chunks of " + NumberText(builder, "chunk_size", *size);
    }
  } else if (cut.over_ == Over::kGroups) {
    const std::optional<KeyId> by = builder.Key("by", KeyUse::kRead);
    sound = sound && by.has_value();
    if (by) {
      cut.by_ = *by;
      cut.text_ = "over groups by " + builder.schema().key(*by).name;
    }
  }
  return sound ? std::optional(std::move(cut)) : std::nullopt;
}

double ItemCut::CostOf(std::size_t rows) const {
  const bool looks_at_rows =
      over_ == Over::kGroups || (over_ == Over::kChunks && !chunk_size_.literal());
  return looks_at_rows ? static_cast<double>(rows) * kCutNanoseconds : 0;
}

Result<Items> Items::Make(const ItemCut& cut, const NodeContext& context) {
  Items items;
  items.rows_ = context.inputs.front();
  const std::size_t rows = items.rows_.rows();
  if (cut.over_ == Over::kGroups) {
    RANKD_TRY(const Groups groups, GroupRows(items.rows_, cut.by_, context.stop));
    items.count_ = groups.count();
    items.group_begin_.assign(items.count_ + 1, 0);
    for (const std::uint32_t group : groups.of_row) ++items.group_begin_[group + 1];
    for (std::size_t i = 0; i < items.count_; ++i) {
      items.group_begin_[i + 1] += items.group_begin_[i];
    }
    items.base_rows_.resize(rows);
    std::vector<std::uint32_t> next(items.group_begin_.begin(), items.group_begin_.end() - 1);
    for (std::size_t row = 0; row < rows; ++row) {
      items.base_rows_[next[groups.of_row[row]]++] = items.rows_.BaseRow(row);
    }
    return items;
  }
  if (cut.over_ == Over::kChunks) {
    RANKD_TRY(const std::int64_t size, cut.chunk_size_.Evaluate(context));
    items.chunk_rows_ = static_cast<std::size_t>(size);
  }
  items.count_ = rows / items.chunk_rows_ + (rows % items.chunk_rows_ == 0 ? 0 : 1);
  return items;
}

RowSet Items::At(std::size_t item) const {
  if (group_begin_.empty()) return rows_.Slice(item * chunk_rows_, chunk_rows_);
  return rows_.WithSelection(std::make_shared<const Selection>(
      base_rows_.begin() + group_begin_[item], base_rows_.begin() + group_begin_[item + 1]));
}

}  // namespace rankd
