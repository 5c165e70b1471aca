#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/task/spec.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// A slice of the order.
class Take final : public CpuTask {
 public:
  Take(NumberParam count, NumberParam offset)
      : count_(std::move(count)), offset_(std::move(offset)) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override { return inputs[0]; }

  Result<RowSet> Run(const NodeContext& context) const override {
    RANKD_TRY(const std::int64_t count, count_.Evaluate(context));
    RANKD_TRY(const std::int64_t offset, offset_.Evaluate(context));
    return context.inputs.Take(0).Slice(static_cast<std::size_t>(offset),
                                        static_cast<std::size_t>(count));
  }

  std::optional<std::size_t> LeadingRows() const override {
    if (!count_.literal() || !offset_.literal()) return std::nullopt;
    const auto offset = static_cast<std::size_t>(*offset_.literal());
    return offset + static_cast<std::size_t>(*count_.literal());  // 2^64 - 2 at most
  }

  CpuCost cost() const override {
    const bool literal = count_.literal() && offset_.literal();
    return {.ns_per_row = literal ? 0.5 : 3.0};
  }

 private:
  NumberParam count_;
  NumberParam offset_;
};

std::unique_ptr<const Task> MakeTake(TaskBuilder& builder) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::optional<NumberParam> count = builder.Number("count", 0, kMost, std::nullopt);
  std::optional<NumberParam> offset = builder.Number("offset", 0, kMost, 0);
  if (!count || !offset) return nullptr;
  return std::make_unique<Take>(*std::move(count), *std::move(offset));
}

constexpr ParamDoc kTakeParams[] = {
    {"count", "int or {expr}", true, "", "how many rows at most"},
    {"offset", "int or {expr}", false, "0", "how many rows to leave out before"},
};

}  // namespace

constinit const TaskSpec kTakeTask = {.op = "take",
                                      .doc = "A slice of the rows.",
                                      .min_inputs = 1,
                                      .max_inputs = 1,
                                      .takes_rhs = false,
                                      .kind = "cpu",
                                      .params = kTakeParams,
                                      .make = MakeTake};

}  // namespace rankd
