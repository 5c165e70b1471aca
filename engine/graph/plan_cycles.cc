#include <algorithm>
#include <limits>

#include "engine/graph/plan_order.h"

namespace rankd {
namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNoComponent = kUnseen;

/// Strongly connected components of the nodes that have no topological order (Tarjan, "Depth-first
/// search and linear graph algorithms", 1972), with the recursion as a stack of its own.
class Components {
 public:
  Components(const PlanEdges& edges, const std::vector<std::uint32_t>& order)
      : edges_(edges),
        number_(edges.node_count(), kUnseen),
        low_(edges.node_count(), 0),
        component_(edges.node_count(), kNoComponent) {
    // Ordered nodes count as done: they are on no cycle.
    for (const std::uint32_t node : order) number_[node] = 0;
    for (std::uint32_t node = 0; node < edges.node_count(); ++node) {
      if (number_[node] == kUnseen) Visit(node);
    }
  }

  /// Each component's nodes.
  const std::vector<std::vector<std::uint32_t>>& all() const { return all_; }
  bool SameComponent(std::uint32_t a, std::uint32_t b) const {
    return component_[a] == component_[b];
  }

 private:
  struct Step {
    std::uint32_t node;
    std::uint32_t next_input;
  };

  void Enter(std::uint32_t node) {
    number_[node] = low_[node] = ++last_number_;
    open_.push_back(node);
    path_.push_back({node, 0});
  }

  void Visit(std::uint32_t start) {
    Enter(start);
    while (!path_.empty()) {
      Step& step = path_.back();
      const std::uint32_t node = step.node;
      const std::span<const std::uint32_t> inputs = edges_.DependenciesOf(node);
      if (step.next_input == inputs.size()) {
        path_.pop_back();
        if (!path_.empty()) Lower(path_.back().node, low_[node]);
        if (low_[node] == number_[node]) Close(node);
        continue;
      }
      const std::uint32_t input = inputs[step.next_input++];
      if (!edges_.IsNode(input)) continue;
      if (number_[input] == kUnseen) {
        Enter(input);
      } else if (number_[input] != 0 && component_[input] == kNoComponent) {
        Lower(node, number_[input]);
      }
    }
  }

  void Lower(std::uint32_t node, std::uint32_t low) { low_[node] = std::min(low_[node], low); }

  void Close(std::uint32_t root) {
    std::vector<std::uint32_t>& nodes = all_.emplace_back();
    std::uint32_t node = kUnseen;
    do {
      node = open_.back();
      open_.pop_back();
      component_[node] = static_cast<std::uint32_t>(all_.size() - 1);
      nodes.push_back(node);
    } while (node != root);
  }

  const PlanEdges& edges_;
  std::vector<std::uint32_t> number_;  ///< 0: has a topological order.
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> component_;
  std::vector<std::vector<std::uint32_t>> all_;
  std::vector<std::uint32_t> open_;
  std::vector<Step> path_;
  std::uint32_t last_number_ = 0;
};

/// The first input of `node` in its own component; kUnresolved if there is none.
std::uint32_t InputWithin(const PlanEdges& edges, const Components& components,
                          std::uint32_t node) {
  for (const std::uint32_t input : edges.DependenciesOf(node)) {
    if (edges.IsNode(input) && components.SameComponent(input, node)) return input;
  }
  return PlanEdges::kUnresolved;
}

/// Goes against the data from `start`, which is on a cycle, until a node comes again.
std::vector<std::uint32_t> CycleFrom(const PlanEdges& edges, const Components& components,
                                     std::uint32_t start, std::vector<bool>& seen) {
  std::vector<std::uint32_t> walk;
  std::uint32_t node = start;
  while (!seen[node]) {
    seen[node] = true;
    walk.push_back(node);
    node = InputWithin(edges, components, node);
  }
  walk.erase(walk.begin(), std::ranges::find(walk, node));
  std::ranges::reverse(walk);
  std::ranges::rotate(walk, std::ranges::min_element(walk));
  return walk;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> FindCycles(const PlanEdges& edges,
                                                   const std::vector<std::uint32_t>& order) {
  std::vector<std::vector<std::uint32_t>> cycles;
  if (order.size() == edges.node_count()) return cycles;
  const Components components(edges, order);
  std::vector<bool> seen(edges.node_count(), false);
  for (const std::vector<std::uint32_t>& nodes : components.all()) {
    const std::uint32_t first = std::ranges::min(nodes);
    // Behind a cycle, but on none.
    if (InputWithin(edges, components, first) == PlanEdges::kUnresolved) continue;
    cycles.push_back(CycleFrom(edges, components, first, seen));
  }
  std::ranges::sort(cycles);
  return cycles;
}

}  // namespace rankd
