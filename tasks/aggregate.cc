#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/base/json.h"
#include "engine/data/grouping.h"
#include "engine/task/spec.h"
#include "tasks/common_params.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// One row of aggregates for all rows, or one for each group.
class Aggregate final : public CpuTask {
 public:
  struct Out {
    KeyId key;
    ExpressionSlot expression;
  };
  Aggregate(std::vector<Out> outs, std::optional<KeyId> by, double cost_per_row)
      : outs_(std::move(outs)), by_(by), cost_per_row_(cost_per_row) {}

  KeySet OutputKeys(std::span<const KeySet>) const override {
    KeySet keys;
    for (const Out& out : outs_) keys.Add(out.key);
    if (by_) keys.Add(*by_);
    return keys;
  }

  Result<RowSet> Run(const NodeContext& context) const override {
    return by_ ? RunGrouped(context) : RunWhole(context);
  }

  CpuCost cost() const override { return {.ns_per_row = cost_per_row_}; }

 private:
  Result<RowSet> RunWhole(const NodeContext& context) const {
    std::vector<RowSet::Entry> entries;
    for (const Out& out : outs_) {
      RANKD_TRY(const Value value,
                context.expression(out.expression).EvaluateScalar(context.inputs[0], context.stop));
      const ValueType type = context.schema->key(out.key).type;
      entries.push_back({out.key, Column::Constant(type, value, 1)});
    }
    return MakeRows(*context.schema, 1, std::move(entries));
  }

  Result<RowSet> RunGrouped(const NodeContext& context) const {
    const RowSet& rows = context.inputs[0];
    RANKD_TRY(const Groups groups, GroupRows(rows, *by_, context.stop));
    std::vector<RowSet::Entry> entries;
    entries.push_back({*by_, GroupKeys(*context.schema, rows, groups)});
    for (const Out& out : outs_) {
      RANKD_TRY(ColumnRef column,
                context.expression(out.expression)
                    .EvaluateGrouped(rows, groups.of_row, groups.count(), context.stop));
      entries.push_back({out.key, std::move(column)});
    }
    return MakeRows(*context.schema, groups.count(), std::move(entries));
  }

  /// The value of `by` of each group.
  ColumnRef GroupKeys(const Schema& schema, const RowSet& rows, const Groups& groups) const {
    const Column* column = rows.Find(*by_);
    if (column == nullptr) {
      return Column::Constant(schema.key(*by_).type, Value(), groups.count());
    }
    std::vector<std::uint32_t> first = groups.first_row;
    for (std::uint32_t& row : first) row = rows.BaseRow(row);
    return column->Gather(first);
  }

  /// Rows with ids 0, 1, … and `entries`, in any order.
  static Result<RowSet> MakeRows(const Schema& schema, std::size_t rows,
                                 std::vector<RowSet::Entry> entries) {
    Column::Ints ids(rows);
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
    const RowSet bare(Column::Make(std::move(ids)));
    for (const RowSet::Entry& entry : entries) {
      RANKD_TRY(CheckNulls(schema, entry.key, *entry.column, bare));
    }
    entries.push_back(bare.entries().front());
    std::sort(entries.begin(), entries.end(),
              [](const RowSet::Entry& a, const RowSet::Entry& b) { return a.key < b.key; });
    return RowSet(std::move(entries));
  }

  std::vector<Out> outs_;  ///< Keys without repeats.
  std::optional<KeyId> by_;
  double cost_per_row_;
};

std::optional<Aggregate::Out> ReadOut(TaskBuilder& builder, const JsonField& field,
                                      std::optional<KeyId> by) {
  const std::string at = JsonPointer("/out", field.name);
  const std::optional<KeyId> key = builder.KeyNamed(field.name, at, KeyUse::kWrite);
  if (!key) return std::nullopt;
  if (key == by) {
    builder.Problem(at, "\"" + std::string(field.name) + "\" is \"by\", which is carried as it is");
    return std::nullopt;
  }
  const std::optional<ExpressionSlot> expression = builder.ScalarExpression(field.value, at, *key);
  if (!expression) return std::nullopt;
  return Aggregate::Out{*key, *expression};
}

std::optional<std::vector<Aggregate::Out>> ReadOuts(TaskBuilder& builder, std::optional<KeyId> by) {
  const Json* out = builder.Find("out");
  if (out == nullptr) {
    MissingParam(builder, "aggregate", "\"out\"");
    return std::nullopt;
  }
  if (!out->is_object()) {
    builder.Problem("/out", "\"out\" must be an object from keys to scalar expressions, not " +
                                out->Describe());
    return std::nullopt;
  }
  std::vector<Aggregate::Out> outs;
  bool right = true;
  for (const JsonField& field : out->fields()) {
    if (field.value.is_null()) continue;
    const std::optional<Aggregate::Out> read = ReadOut(builder, field, by);
    right = right && read.has_value();
    if (!read) continue;
    const bool repeated = std::any_of(outs.begin(), outs.end(), [&](const Aggregate::Out& other) {
      return other.key == read->key;
    });
    if (repeated) {
      builder.Problem(JsonPointer("/out", field.name),
                      "the key \"" + builder.schema().key(read->key).name + "\" stands twice");
      right = false;
    }
    outs.push_back(*read);
  }
  if (!right) return std::nullopt;
  return outs;
}

std::unique_ptr<const Task> MakeAggregate(TaskBuilder& builder) {
  const bool grouped = builder.Find("by") != nullptr;
  std::optional<KeyId> by;
  if (grouped) by = builder.Key("by", KeyUse::kRead);
  bool right = !grouped || by.has_value();
  if (by == kIdKey) {
    builder.Problem("/by", "rows are numbered anew, \"by\" may not be id");
    by.reset();
    right = false;
  }
  std::optional<std::vector<Aggregate::Out>> outs = ReadOuts(builder, by);
  if (!right || !outs) return nullptr;
  double cost_per_row = grouped ? 12 : 1;
  for (const Aggregate::Out& out : *outs) cost_per_row += builder.CostPerRow(out.expression);
  return std::make_unique<Aggregate>(*std::move(outs), by, cost_per_row);
}

constexpr ParamDoc kAggregateParams[] = {
    {"out", "object from keys to scalar expressions", true, "",
     "what each row carries, such as {\"total\": \"sum(score)\"}"},
    {"by", "key", false, "", "one row for each of its values, nulls included; not id, not in out"},
};

}  // namespace

constinit const TaskSpec kAggregateTask = {
    .op = "aggregate",
    .doc = "One row of aggregates, or one for each value of a key; ids 0, 1, 2 and so on.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "cpu",
    .params = kAggregateParams,
    .make = MakeAggregate};

}  // namespace rankd
