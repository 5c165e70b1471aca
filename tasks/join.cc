#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/task/spec.h"
#include "tasks/gather.h"
#include "tasks/row_index.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

enum class How : std::uint8_t { kInner, kLeft, kSemi, kAnti };

/// Left rows in order, with keys of the right row that has the same value of `on`.
class Join final : public CpuTask {
 public:
  Join(How how, KeyId on, std::vector<KeyId> select)
      : how_(how), on_(on), select_(std::move(select)) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    KeySet keys = inputs[0];
    for (const KeyId key : select_) keys.Add(key);
    return keys;
  }

  Result<void> CheckInputs(std::span<const KeySet> inputs, const Schema& schema) const override {
    std::string names;
    for (const KeyId key : select_) {
      if (!inputs[0].Contains(key)) continue;
      names += (names.empty() ? "\"" : ", \"") + schema.key(key).name + "\"";
    }
    if (names.empty()) return {};
    return std::unexpected(
        Error(ErrorCode::kInvalidPlan, "the left rows carry " + names + " already").At("/select"));
  }

  Result<RowSet> Run(const NodeContext& context) const override {
    const RowSet& left = context.inputs[0];
    const RowSet& right = context.inputs[1];
    RANKD_TRY(CheckSelect(left, *context.schema));
    const bool unique = how_ == How::kInner || how_ == How::kLeft;
    RANKD_TRY(RowIndex index, RowIndex::Build(right, on_, *context.schema, unique, context.stop));
    RANKD_TRY(std::vector<std::uint32_t> matches, index.Match(left, on_, context.stop));
    RowSet rows = how_ == How::kLeft ? left : KeepRows(left, matches);
    for (const KeyId key : select_) {
      if (context.stop.stop_requested()) return Cancelled();
      RANKD_TRY(ColumnRef column, Bring(right, key, matches, *context.schema, rows));
      rows = rows.WithColumn(key, std::move(column));
    }
    return rows;
  }

  CpuCost cost() const override {
    return {.ns_per_row = 20 + 5 * static_cast<double>(select_.size())};
  }

 private:
  /// Validation knows what rows carry in most plans, not in all.
  Result<void> CheckSelect(const RowSet& left, const Schema& schema) const {
    for (const KeyId key : select_) {
      if (left.Find(key) != nullptr) {
        return Fail(ErrorCode::kInvalidPlan,
                    "\"select\": the left rows carry \"" + schema.key(key).name + "\" already");
      }
    }
    return {};
  }

  /// The left rows that stay; `matches` is cut down to theirs.
  RowSet KeepRows(const RowSet& left, std::vector<std::uint32_t>& matches) const {
    Selection kept;
    kept.reserve(matches.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
      if ((matches[i] == kNoRow) == (how_ == How::kAnti)) kept.push_back(left.BaseRow(i));
    }
    if (kept.size() == matches.size()) return left;
    std::erase(matches, kNoRow);
    return left.WithSelection(std::make_shared<const Selection>(std::move(kept)));
  }

  /// The values of `key` for `rows`, of which row i matches base row matches[i] of the right.
  static Result<ColumnRef> Bring(const RowSet& right, KeyId key,
                                 std::span<const std::uint32_t> matches, const Schema& schema,
                                 const RowSet& rows) {
    const Column* column = right.Find(key);
    const auto lacking =
        column == nullptr ? matches.begin() : std::find(matches.begin(), matches.end(), kNoRow);
    if (lacking != matches.end()) {  // the fill must be fit for it, and for the row named
      const auto row = static_cast<std::size_t>(lacking - matches.begin());
      RANKD_TRY(ColumnRef fill, FillColumn(schema, key, 1, rows.IdAt(row)));
    }
    if (column == nullptr) return FillColumn(schema, key, matches.size(), 0);
    ColumnRef brought = GatherOrFill(*column, matches, schema.key(key).default_value);
    RANKD_TRY(CheckNulls(schema, key, *brought, rows));
    return brought;
  }

  How how_;
  KeyId on_;
  std::vector<KeyId> select_;  ///< Without repeats.
};

std::unique_ptr<const Task> MakeJoin(TaskBuilder& builder) {
  const std::optional<std::size_t> choice =
      builder.Choice("how", {"inner", "left", "semi", "anti"}, std::nullopt);
  const std::optional<KeyId> on = builder.KeyOr("on", KeyUse::kRead, kIdKey);
  std::optional<std::vector<KeyId>> select(std::in_place);
  if (builder.Find("select") != nullptr) select = builder.KeyList("select", KeyUse::kWrite);
  if (!choice || !on || !select) return nullptr;
  const auto how = static_cast<How>(*choice);
  if (!select->empty() && (how == How::kSemi || how == How::kAnti)) {
    builder.Problem("/select", "a semi or anti join brings nothing from the right");
    return nullptr;
  }
  std::sort(select->begin(), select->end());
  select->erase(std::unique(select->begin(), select->end()), select->end());
  return std::make_unique<Join>(how, *on, *std::move(select));
}

constexpr ParamDoc kJoinParams[] = {
    {"rhs", "node", false, "", "the right input, where it is not the second of inputs"},
    {"how", "\"inner\", \"left\", \"semi\" or \"anti\"", true, "",
     "left rows with a match, all of them, those with a match, or those without"},
    {"on", "key", false, "\"id\"", "rows match where it is equal; null matches nothing"},
    {"select", "list of keys", false, "[]",
     "keys to bring from the right (inner and left); the left may not carry them"},
};

}  // namespace

constinit const TaskSpec kJoinTask = {
    .op = "join",
    .doc = "The left rows in order, matched with the right rows by one key.",
    .min_inputs = 2,
    .max_inputs = 2,
    .takes_rhs = true,
    .kind = "cpu",
    .params = kJoinParams,
    .make = MakeJoin};

}  // namespace rankd
