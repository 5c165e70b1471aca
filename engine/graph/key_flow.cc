#include "engine/graph/key_flow.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/region/region.h"

namespace rankd {
namespace {

/// Holds the keys of a node only until the last node that takes them has been looked at: a long
/// chain over many keys would hold a great deal otherwise.
class KeyFlow {
 public:
  explicit KeyFlow(const PlanEdges& edges)
      : edges_(edges), keys_(edges.node_count()), uses_(edges.node_count()) {
    for (const std::uint32_t input : edges.inputs) {
      if (edges.IsNode(input)) ++uses_[input];
    }
  }

  /// The keys of a node's inputs, side by side; nullopt if those of one are not known.
  std::optional<std::span<const KeySet>> Of(std::span<const std::uint32_t> inputs) {
    const auto known = [&](std::uint32_t input) {
      return edges_.IsNode(input) && keys_[input].has_value();
    };
    if (!std::ranges::all_of(inputs, known)) return std::nullopt;
    if (inputs.size() == 1) return std::span(&*keys_[inputs[0]], 1);
    gathered_.clear();
    for (const std::uint32_t input : inputs) gathered_.push_back(*keys_[input]);
    return gathered_;
  }

  void Set(std::uint32_t node, KeySet keys) {
    if (uses_[node] != 0) keys_[node] = std::move(keys);
  }

  /// After the node that has these inputs.
  void Release(std::span<const std::uint32_t> inputs) {
    for (const std::uint32_t input : inputs) {
      if (edges_.IsNode(input) && --uses_[input] == 0) keys_[input].reset();
    }
  }

 private:
  const PlanEdges& edges_;
  std::vector<std::optional<KeySet>> keys_;
  std::vector<std::uint32_t> uses_;  ///< Edges whose end has not been looked at.
  std::vector<KeySet> gathered_;
};

/// The keys of the node's rows.
KeySet CheckNode(const PlanBody& body, const PlanNode& node, const Task& task,
                 std::span<const KeySet> inputs, const Schema& schema, Problems& problems) {
  const Result<void> checked = task.CheckInputs(inputs, schema);
  if (!checked) {
    problems.Add(body.NodePointer(node) + "/params" + checked.error().pointer,
                 checked.error().message);
  }
  return task.OutputKeys(inputs);
}

}  // namespace

void CheckKeyFlow(const PlanBody& body, const PlanEdges& edges,
                  const std::vector<std::uint32_t>& order, std::span<const Task* const> tasks,
                  const Schema& schema, Problems& problems) {
  KeyFlow flow(edges);
  for (const std::uint32_t node : order) {
    const std::span<const std::uint32_t> inputs = edges.InputsOf(node);
    // The rows of a node with bodies have the keys that the bodies give them when they run.
    if (tasks[node] != nullptr && edges.count_is_right[node] &&
        dynamic_cast<const Region*>(tasks[node]) == nullptr) {
      if (const std::optional<std::span<const KeySet>> keys = flow.Of(inputs)) {
        flow.Set(node, CheckNode(body, body.nodes[node], *tasks[node], *keys, schema, problems));
      }
    }
    flow.Release(inputs);
  }
}

}  // namespace rankd
