#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/blocks.h"
#include "engine/base/clock.h"
#include "engine/task/spec.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// The input rows, after keeping a core busy.
class BusyCpu final : public CpuTask {
 public:
  explicit BusyCpu(NumberParam busy_wait_ms) : busy_wait_ms_(std::move(busy_wait_ms)) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    return inputs.empty() ? KeySet() : inputs[0];
  }

  Result<RowSet> Run(const NodeContext& context) const override {
    RANKD_TRY(const std::int64_t busy_wait_ms, busy_wait_ms_.Evaluate(context));
    const SteadyClock clock;
    const TimePoint end = clock.Now() + std::chrono::milliseconds(busy_wait_ms);
    while (clock.Now() < end) {
      if (context.stop.stop_requested()) return Cancelled();
    }
    return context.inputs.empty() ? RowSet() : context.inputs.Take(0);
  }

  Placement placement() const override { return Placement::kPool; }

  CpuCost cost() const override {
    return {.fixed_ns = static_cast<double>(busy_wait_ms_.literal().value_or(1)) * 1e6};
  }

 private:
  NumberParam busy_wait_ms_;
};

std::unique_ptr<const Task> MakeBusyCpu(TaskBuilder& builder) {
  constexpr std::int64_t kLongestMs = std::int64_t{1} << 31;  // 24 days
  std::optional<NumberParam> busy_wait_ms =
      builder.Number("busy_wait_ms", 0, kLongestMs, std::nullopt);
  if (!busy_wait_ms) return nullptr;
  return std::make_unique<BusyCpu>(*std::move(busy_wait_ms));
}

constexpr ParamDoc kBusyCpuParams[] = {
    {"busy_wait_ms", "int or {expr}", true, "", "how long to spin, on a pool thread"},
};

}  // namespace

constinit const TaskSpec kBusyCpuTask = {
    .op = "busy_cpu",
    .doc = "The input rows (no rows without an input), after spinning on a core for a while.",
    .min_inputs = 0,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "cpu",
    .params = kBusyCpuParams,
    .make = MakeBusyCpu};

}  // namespace rankd
