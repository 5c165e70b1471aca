#include "engine/graph/key_flow.h"

#include <algorithm>
#include <optional>

#include "engine/base/json.h"

namespace rankd {
namespace {

class KeyFlow {
 public:
  explicit KeyFlow(std::size_t nodes) : keys_(nodes) {}

  /// The keys of a node's inputs, side by side; nullopt if those of one are not known.
  std::optional<std::span<const KeySet>> Of(std::span<const std::uint32_t> inputs) {
    const auto known = [&](std::uint32_t input) {
      return input != PlanEdges::kUnresolved && keys_[input].has_value();
    };
    if (!std::ranges::all_of(inputs, known)) return std::nullopt;
    if (inputs.size() == 1) return std::span(&*keys_[inputs[0]], 1);
    gathered_.clear();
    for (const std::uint32_t input : inputs) gathered_.push_back(*keys_[input]);
    return gathered_;
  }

  void Set(std::uint32_t node, KeySet keys) { keys_[node] = std::move(keys); }

 private:
  std::vector<std::optional<KeySet>> keys_;
  std::vector<KeySet> gathered_;
};

}  // namespace

void CheckKeyFlow(const Plan& plan, const PlanEdges& edges, const std::vector<std::uint32_t>& order,
                  std::span<const Task* const> tasks, Problems& problems) {
  KeyFlow flow(plan.nodes.size());
  for (const std::uint32_t node : order) {
    const Task* task = tasks[node];
    if (task == nullptr || !edges.count_is_right[node]) continue;
    const std::optional<std::span<const KeySet>> inputs = flow.Of(edges.InputsOf(node));
    if (!inputs) continue;
    const Result<void> checked = task->CheckInputs(*inputs, *plan.schema);
    if (!checked) {
      problems.Add(
          JsonPointer("/nodes", plan.nodes[node].index) + "/params" + checked.error().pointer,
          checked.error().message);
    }
    flow.Set(node, task->OutputKeys(*inputs));
  }
}

}  // namespace rankd
