#include <memory>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/task/spec.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// The inputs' rows one after the other.
class ConcatTask final : public CpuTask {
 public:
  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    KeySet keys;
    for (const KeySet& input : inputs) keys.AddAll(input);
    return keys;
  }

  Result<RowSet> Run(const NodeContext& context) const override {
    if (context.stop.stop_requested()) return Cancelled();
    std::vector<RowSet> parts;
    parts.reserve(context.inputs.size());
    for (std::size_t i = 0; i < context.inputs.size(); ++i) parts.push_back(context.inputs.Take(i));
    return Concat(*context.schema, parts);
  }

  CpuCost cost() const override { return {.ns_per_row = 5}; }
};

std::unique_ptr<const Task> MakeConcat(TaskBuilder&) { return std::make_unique<ConcatTask>(); }

constexpr ParamDoc kConcatParams[] = {
    {"rhs", "node", false, "", "one more input, after the others"},
};

}  // namespace

constinit const TaskSpec kConcatTask = {
    .op = "concat",
    .doc = "The inputs' rows one after the other; keys are the union, the rest is filled.",
    .min_inputs = 2,
    .max_inputs = kAnyNumberOfInputs,
    .takes_rhs = true,
    .kind = "cpu",
    .params = kConcatParams,
    .make = MakeConcat};

}  // namespace rankd
