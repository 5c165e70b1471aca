#include "engine/graph/plan_order.h"

#include <utility>

namespace rankd {
namespace {

/// The edges turned round: the nodes that take each node's output, in the file's order.
struct Successors {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> nodes;
};

Successors SuccessorsOf(const PlanEdges& edges) {
  const auto count = static_cast<std::uint32_t>(edges.node_count());
  Successors successors;
  successors.begin.assign(count + 1, 0);
  for (std::uint32_t node = 0; node < count; ++node) {
    for (const std::uint32_t before : edges.DependenciesOf(node)) {
      if (edges.IsNode(before)) ++successors.begin[before + 1];
    }
  }
  for (std::size_t i = 0; i < count; ++i) successors.begin[i + 1] += successors.begin[i];
  successors.nodes.resize(successors.begin[count]);
  std::vector<std::uint32_t> next(successors.begin.begin(), successors.begin.end() - 1);
  for (std::uint32_t node = 0; node < count; ++node) {
    for (const std::uint32_t before : edges.DependenciesOf(node)) {
      if (edges.IsNode(before)) successors.nodes[next[before]++] = node;
    }
  }
  return successors;
}

}  // namespace

std::vector<std::uint32_t> TopologicalOrder(const PlanEdges& edges) {
  const std::size_t count = edges.node_count();
  const Successors successors = SuccessorsOf(edges);
  std::vector<std::uint32_t> waiting(count, 0);
  for (const std::uint32_t node : successors.nodes) ++waiting[node];

  // A stack, filled from the back, so that the first in the file comes out first.
  std::vector<std::uint32_t> ready;
  for (std::uint32_t node = static_cast<std::uint32_t>(count); node-- > 0;) {
    if (waiting[node] == 0) ready.push_back(node);
  }
  std::vector<std::uint32_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::uint32_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (std::uint32_t i = successors.begin[node + 1]; i-- > successors.begin[node];) {
      if (--waiting[successors.nodes[i]] == 0) ready.push_back(successors.nodes[i]);
    }
  }
  return order;
}

std::vector<bool> NodesBehind(const PlanEdges& edges, std::vector<std::uint32_t> roots,
                              const MoreDependencies& more) {
  std::vector<bool> reached(edges.node_count(), false);
  std::vector<std::uint32_t> open = std::move(roots);
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (!edges.IsNode(node) || reached[node]) continue;
    reached[node] = true;
    const std::span<const std::uint32_t> inputs = edges.InputsOf(node);
    open.insert(open.end(), inputs.begin(), inputs.end());
    if (more) more(node, open);
  }
  return reached;
}

}  // namespace rankd
