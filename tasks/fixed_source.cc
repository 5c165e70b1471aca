#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/json.h"
#include "engine/task/spec.h"
#include "tasks/common_params.h"
#include "tasks/literal_rows.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// More rows than this are made when the node runs, not kept with the plan.
constexpr std::int64_t kMostKept = 1'000'000;
constexpr std::int64_t kMostRows = 10'000'000;

/// Ids 1, 2, …, `count`.
RowSet CountedRows(std::int64_t count) {
  Column::Ints ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), std::int64_t{1});
  return RowSet(Column::Make(std::move(ids)));
}

/// The same rows for every run, or the same null_value: whether a plan's rows may be null is told
/// when the node runs, as for every other task.
class FixedRows final : public CpuTask {
 public:
  FixedRows(const Schema& schema, RowSet rows) : rows_(std::move(rows)) {
    for (const RowSet::Entry& entry : rows_.rows().entries()) {
      checked_ = CheckNulls(schema, entry.key, *entry.column, rows_.rows());
      if (!checked_) break;
    }
  }

  KeySet OutputKeys(std::span<const KeySet>) const override {
    KeySet keys;
    for (const RowSet::Entry& entry : rows_.rows().entries()) keys.Add(entry.key);
    return keys;
  }
  Result<RowSet> Run(const NodeContext&) const override {
    RANKD_TRY(checked_);
    return rows_.Get();
  }
  Placement placement() const override { return Placement::kInline; }
  CpuCost cost() const override { return {.fixed_ns = 50}; }

 private:
  SharedRows rows_;
  Result<void> checked_;
};

/// As many rows as a number says.
class CountedSource final : public CpuTask {
 public:
  explicit CountedSource(NumberParam row_count) : row_count_(std::move(row_count)) {}

  KeySet OutputKeys(std::span<const KeySet>) const override { return KeySet(); }
  Result<RowSet> Run(const NodeContext& context) const override {
    RANKD_TRY(const std::int64_t row_count, row_count_.Evaluate(context));
    return CountedRows(row_count);
  }
  Placement placement() const override { return Placement::kInline; }
  CpuCost cost() const override {
    return {.fixed_ns = static_cast<double>(row_count_.literal().value_or(1000))};
  }

 private:
  NumberParam row_count_;
};

std::unique_ptr<const Task> MakeFixedSource(TaskBuilder& builder) {
  const Json* rows = builder.Find("rows");
  const bool has_row_count = builder.Find("row_count") != nullptr;
  if (rows != nullptr && has_row_count) {
    builder.Problem("/rows", "only one of \"row_count\" and \"rows\" may be given");
    return nullptr;
  }
  if (rows == nullptr && !has_row_count) {
    MissingParam(builder, "fixed_source", "\"row_count\" or \"rows\"");
    return nullptr;
  }
  if (rows != nullptr) {
    std::optional<RowSet> literal = ReadLiteralRows(builder, *rows);
    if (!literal) return nullptr;
    return std::make_unique<FixedRows>(builder.schema(), *std::move(literal));
  }
  std::optional<NumberParam> row_count = builder.Number("row_count", 1, kMostRows, std::nullopt);
  if (!row_count) return nullptr;
  if (row_count->literal() && *row_count->literal() <= kMostKept) {
    return std::make_unique<FixedRows>(builder.schema(), CountedRows(*row_count->literal()));
  }
  return std::make_unique<CountedSource>(*std::move(row_count));
}

constexpr ParamDoc kFixedSourceParams[] = {
    {"row_count", "int or {expr}", false, "",
     "rows with ids 1 to this many, up to 10000000; this or rows"},
    {"rows", "list of objects", false, "",
     "the rows, such as [{\"id\": 7, \"score\": 0.5}]; this or row_count"},
};

}  // namespace

constinit const TaskSpec kFixedSourceTask = {.op = "fixed_source",
                                             .doc = "Rows that stand in the plan.",
                                             .min_inputs = 0,
                                             .max_inputs = 0,
                                             .takes_rhs = false,
                                             .kind = "inline",
                                             .params = kFixedSourceParams,
                                             .make = MakeFixedSource};

}  // namespace rankd
