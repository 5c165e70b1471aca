#include "engine/run/critical_path.h"

#include <algorithm>
#include <span>

namespace rankd {
namespace {

/// Numbers of things grouped by another number, in their own order.
class Grouped {
 public:
  template <typename GroupOf>
  Grouped(std::size_t count, std::size_t groups, GroupOf group_of) : begin_(groups + 1, 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const std::uint32_t group = group_of(i); group != kNotTraced) ++begin_[group + 1];
    }
    for (std::size_t i = 0; i < groups; ++i) begin_[i + 1] += begin_[i];
    members_.resize(begin_[groups]);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const std::uint32_t group = group_of(i); group != kNotTraced) members_[next[group]++] = i;
    }
  }
  std::span<const std::uint32_t> Of(std::uint32_t group) const {
    return std::span(members_).subspan(begin_[group], begin_[group + 1] - begin_[group]);
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> members_;
};

class PathFinder {
 public:
  explicit PathFinder(const RunTrace& trace)
      : trace_(trace),
        spans_(trace.nodes.size(), trace.activations.size(),
               [&](std::uint32_t span) { return trace.nodes[span].activation; }),
        activations_(trace.activations.size(), trace.nodes.size(),
                     [&](std::uint32_t i) { return trace.activations[i].node_span; }) {}

  /// Appends the path through one activation. Recurses as deep as bodies nest.
  void Append(std::uint32_t activation, std::vector<std::uint32_t>& path) {
    for (const std::uint32_t span : PathOf(activation)) {
      path.push_back(span);
      for (const std::uint32_t inside : WaitedFor(span)) Append(inside, path);
    }
  }

 private:
  struct Step {
    Duration total{-1};  ///< Of the best way that ends here; negative: did not run.
    std::uint32_t span = 0;
    std::uint32_t previous = kNotTraced;  ///< Node.
  };

  std::vector<std::uint32_t> PathOf(std::uint32_t activation) {
    const std::vector<GraphNode>& nodes = trace_.activations[activation].graph->nodes;
    std::vector<Step> steps(nodes.size());
    for (const std::uint32_t span : spans_.Of(activation)) {
      const NodeSpan& node = trace_.nodes[span];
      steps[Index(node.node)] = {node.end - node.ready, span, kNotTraced};
    }
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {  // inputs come before their nodes
      Step& step = steps[i];
      if (step.total < Duration::zero()) continue;
      for (const NodeId input : nodes[i].inputs) {
        if (Index(input) >= nodes.size()) continue;  // from outside the body
        const Step& before = steps[Index(input)];
        if (before.total < Duration::zero()) continue;
        if (step.previous == kNotTraced || before.total > steps[step.previous].total) {
          step.previous = static_cast<std::uint32_t>(Index(input));
        }
      }
      if (step.previous != kNotTraced) step.total += steps[step.previous].total;
      if (step.total >= steps[last].total) last = i;
    }
    std::vector<std::uint32_t> path;
    if (steps.empty() || steps[last].total < Duration::zero()) return path;
    for (; last != kNotTraced; last = steps[last].previous) path.push_back(steps[last].span);
    std::ranges::reverse(path);
    return path;
  }

  /// From the activation that ended last backwards: each time the one that ended last before the
  /// other began.
  std::vector<std::uint32_t> WaitedFor(std::uint32_t span) {
    const std::span<const std::uint32_t> all = activations_.Of(span);
    std::vector<std::uint32_t> by_end(all.begin(), all.end());
    std::ranges::sort(by_end, [&](std::uint32_t a, std::uint32_t b) {
      const TimePoint end_a = trace_.activations[a].end;
      const TimePoint end_b = trace_.activations[b].end;
      return end_a != end_b ? end_a < end_b : a < b;
    });
    std::vector<std::uint32_t> chain;
    for (auto one = by_end.rbegin(); one != by_end.rend(); ++one) {
      if (chain.empty() || trace_.activations[*one].end <= trace_.activations[chain.back()].start) {
        chain.push_back(*one);
      }
    }
    std::ranges::reverse(chain);
    return chain;
  }

  const RunTrace& trace_;
  Grouped spans_;        ///< By activation.
  Grouped activations_;  ///< By the span of their node.
};

}  // namespace

std::vector<std::uint32_t> CriticalPath(const RunTrace& trace) {
  std::vector<std::uint32_t> path;
  if (!trace.activations.empty()) PathFinder(trace).Append(0, path);
  return path;
}

}  // namespace rankd
