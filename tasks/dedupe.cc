#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/data/grouping.h"
#include "engine/data/row_keys.h"
#include "engine/task/spec.h"
#include "tasks/common_params.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

enum class Keep : std::uint8_t { kFirst, kLast, kMax };

/// The last row of each group.
Result<std::vector<std::uint32_t>> LastRows(const Groups& groups, StopToken stop) {
  std::vector<std::uint32_t> chosen(groups.count());
  const bool done =
      ForEachBlock(groups.of_row.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          chosen[groups.of_row[i]] = static_cast<std::uint32_t>(i);
        }
      });
  if (!done) return Cancelled();
  return chosen;
}

/// The row of each group with the greatest `by`, the first of equals; nulls are least.
Result<std::vector<std::uint32_t>> MaxRows(const RowSet& rows, const Groups& groups, KeyId by,
                                           StopToken stop) {
  std::vector<std::uint32_t> chosen = groups.first_row;
  const Column* column = rows.Find(by);
  if (column == nullptr) return chosen;  // all null: the first
  RANKD_TRY(const RowKeys keys, OrderKeys(rows, *column, stop));
  const auto is_null = [&](std::size_t row) { return column->IsNullAt(rows.BaseRow(row)); };
  const bool done = ForEachBlock(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t& best = chosen[groups.of_row[i]];
      if (!is_null(i) && (is_null(best) || keys[i] > keys[best])) {
        best = static_cast<std::uint32_t>(i);
      }
    }
  });
  if (!done) return Cancelled();
  return chosen;
}

/// One row of each key value, in order of first appearance.
class Dedupe final : public CpuTask {
 public:
  Dedupe(KeyId key, Keep keep, KeyId by) : key_(key), keep_(keep), by_(by) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override { return inputs[0]; }

  Result<RowSet> Run(const NodeContext& context) const override {
    const RowSet& rows = context.inputs[0];
    RANKD_TRY(const Groups groups, GroupRows(rows, key_, context.stop));
    if (groups.count() == rows.rows()) return rows;
    RANKD_TRY(std::vector<std::uint32_t> chosen, Choose(rows, groups, context.stop));
    for (std::uint32_t& row : chosen) row = rows.BaseRow(row);
    return rows.WithSelection(std::make_shared<const Selection>(std::move(chosen)));
  }

  CpuCost cost() const override { return {.ns_per_row = keep_ == Keep::kMax ? 20.0 : 12.0}; }

 private:
  Result<std::vector<std::uint32_t>> Choose(const RowSet& rows, const Groups& groups,
                                            StopToken stop) const {
    switch (keep_) {
      case Keep::kFirst:
        break;
      case Keep::kLast:
        return LastRows(groups, stop);
      case Keep::kMax:
        return MaxRows(rows, groups, by_, stop);
    }
    return groups.first_row;
  }

  KeyId key_;
  Keep keep_;
  KeyId by_;  ///< For kMax.
};

std::unique_ptr<const Task> MakeDedupe(TaskBuilder& builder) {
  const std::optional<KeyId> key = builder.KeyOr("key", KeyUse::kRead, kIdKey);
  const std::optional<std::size_t> choice = builder.Choice("keep", {"first", "last", "max"}, 0);
  if (!choice) return nullptr;
  const auto keep = static_cast<Keep>(*choice);
  std::optional<KeyId> by = kIdKey;
  if (keep == Keep::kMax) {
    by = builder.Key("by", KeyUse::kRead);
  } else if (builder.Find("by") != nullptr) {
    builder.Problem("/by", "\"by\" is for \"keep\": \"max\" only");
    return nullptr;
  }
  if (!key || !by) return nullptr;
  return std::make_unique<Dedupe>(*key, keep, *by);
}

constexpr ParamDoc kDedupeParams[] = {
    {"key", "key", false, "\"id\"", "rows with equal values of it count as one; nulls are equal"},
    {"keep", "\"first\", \"last\" or \"max\"", false, "\"first\"", "which of them to keep"},
    {"by", "key", false, "", "for max, required: keep the first row with the greatest value"},
};

}  // namespace

constinit const TaskSpec kDedupeTask = {
    .op = "dedupe",
    .doc = "One row of each value of a key, in order of first appearance.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "cpu",
    .params = kDedupeParams,
    .make = MakeDedupe};

}  // namespace rankd
