#include <memory>
#include <optional>
#include <utility>

#include "engine/task/spec.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// The rows where a predicate holds, in order.
class Filter final : public CpuTask {
 public:
  Filter(ExpressionSlot predicate, double cost_per_row)
      : predicate_(predicate), cost_per_row_(cost_per_row) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override { return inputs[0]; }

  Result<RowSet> Run(const NodeContext& context) const override {
    const RowSet& rows = context.inputs[0];
    RANKD_TRY(Selection kept, context.expression(predicate_).EvaluateFilter(rows, context.stop));
    if (kept.size() == rows.rows()) return context.inputs.Take(0);
    return context.inputs.Take(0).WithSelection(std::make_shared<const Selection>(std::move(kept)));
  }

  CpuCost cost() const override { return {.ns_per_row = cost_per_row_ + 1}; }

 private:
  ExpressionSlot predicate_;
  double cost_per_row_;
};

std::unique_ptr<const Task> MakeFilter(TaskBuilder& builder) {
  const std::optional<ExpressionSlot> predicate = builder.Predicate("pred");
  if (!predicate) return nullptr;
  return std::make_unique<Filter>(*predicate, builder.CostPerRow(*predicate));
}

constexpr ParamDoc kFilterParams[] = {
    {"pred", "predicate", false, "", "which rows to keep; this or pred_id"},
    {"pred_id", "id in pred_table", false, "", "which rows to keep; this or pred"},
};

}  // namespace

constinit const TaskSpec kFilterTask = {.op = "filter",
                                        .doc = "The rows where a predicate holds, in order.",
                                        .min_inputs = 1,
                                        .max_inputs = 1,
                                        .takes_rhs = false,
                                        .kind = "cpu",
                                        .params = kFilterParams,
                                        .make = MakeFilter};

}  // namespace rankd
