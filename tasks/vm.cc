#include <memory>
#include <optional>
#include <utility>

#include "engine/task/spec.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// The input rows with one key computed.
class Vm final : public CpuTask {
 public:
  Vm(KeyId out_key, ExpressionSlot expression, double cost_per_row)
      : out_key_(out_key), expression_(expression), cost_per_row_(cost_per_row) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    KeySet keys = inputs[0];
    keys.Add(out_key_);
    return keys;
  }

  Result<RowSet> Run(const NodeContext& context) const override {
    const RowSet& rows = context.inputs[0];
    RANKD_TRY(ColumnRef column, context.expression(expression_).EvaluateColumn(rows, context.stop));
    RANKD_TRY(CheckNulls(*context.schema, out_key_, *column, rows));
    return rows.WithColumn(out_key_, std::move(column));
  }

  CpuCost cost() const override { return {.ns_per_row = cost_per_row_ + 1}; }

 private:
  KeyId out_key_;
  ExpressionSlot expression_;
  double cost_per_row_;
};

std::unique_ptr<const Task> MakeVm(TaskBuilder& builder) {
  const std::optional<KeyId> out_key = builder.Key("out_key", KeyUse::kWrite);
  const std::optional<ExpressionSlot> expression = builder.RowExpression("expr", out_key);
  if (!out_key || !expression) return nullptr;
  return std::make_unique<Vm>(*out_key, *expression, builder.CostPerRow(*expression));
}

constexpr ParamDoc kVmParams[] = {
    {"out_key", "key", true, "", "the key to write"},
    {"expr", "row expression", false, "", "its value; this or expr_id"},
    {"expr_id", "id in expr_table", false, "", "its value; this or expr"},
};

}  // namespace

constinit const TaskSpec kVmTask = {
    .op = "vm",
    .doc = "The input rows with one key written: the value of an expression.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "cpu",
    .params = kVmParams,
    .make = MakeVm};

}  // namespace rankd
