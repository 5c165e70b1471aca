// StaticSchedule: the order in which a graph runs of which no node waits for anything. Every node's
// end makes the next one ready at once, so the order is the same in every run: the scheduler finds
// it when the graph is built, and a run has neither counters nor a stack to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/task/input_rows.h"
#include "engine/task/task.h"

namespace rankd {

struct Graph;

/// A node at its place in the order. Its lists end where those of the next step begin.
struct ScheduledStep {
  const CpuTask* task = nullptr;
  float fixed_ns = 0;  ///< Of the task's CpuCost, as the next one.
  float ns_per_row = 0;
  NodeId node{};
  std::uint32_t input_begin = 0;  ///< In StaticSchedule::inputs.
  std::uint32_t drop_begin = 0;   ///< In StaticSchedule::drops.
  Placement placement{};
  bool has_expressions = false;
};
static_assert(sizeof(ScheduledStep) == 32);  // two to a cache line

/// Made when the graph is complete; immutable. Empty where some node may wait: for a store, for
/// rows from outside, for a body.
class StaticSchedule {
 public:
  StaticSchedule() = default;
  /// `consumers` as in RunLayout. O(nodes + edges).
  StaticSchedule(const Graph& graph, std::span<const std::uint32_t> consumers);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const ScheduledStep& operator[](std::size_t i) const { return steps_[i]; }
  std::span<const InputRef> InputsOf(std::size_t i) const {
    return {inputs_.data() + steps_[i].input_begin, inputs_.data() + steps_[i + 1].input_begin};
  }
  /// The nodes whose rows nobody wants after step `i`.
  std::span<const NodeId> DropsOf(std::size_t i) const {
    return {drops_.data() + steps_[i].drop_begin, drops_.data() + steps_[i + 1].drop_begin};
  }
  /// Edges out of the first `steps` nodes.
  std::uint64_t EdgesBefore(std::size_t steps) const { return edges_before_[steps]; }

  /// Fetches the task of a later step than `i`. Tasks lie where they were made, each in cache lines
  /// of its own: those of many nodes are not found in a cache when their turn comes.
  void Prefetch(std::size_t i) const { __builtin_prefetch(steps_[i + kAhead].task); }

 private:
  static constexpr std::size_t kAhead = 8;

  std::size_t size_ = 0;
  std::vector<ScheduledStep> steps_;  ///< And kAhead more that end the last one's lists.
  std::vector<InputRef> inputs_;      ///< Of all steps, one step's after the other's.
  std::vector<NodeId> drops_;         ///< The same.
  std::vector<std::uint64_t> edges_before_;
};

}  // namespace rankd
