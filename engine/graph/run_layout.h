// RunLayout: what a run reads of each node, side by side. A GraphNode is what there is to tell of a
// node, some 300 bytes of it; a run of many cheap nodes would spend its time fetching them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/graph/static_schedule.h"
#include "engine/task/input_rows.h"
#include "engine/task/task.h"

namespace rankd {

struct Graph;

/// How a node is started.
struct NodeStep {
  /// Set for CPU work whose failure ends the run: all that it takes to start it stands here.
  const CpuTask* plain_cpu = nullptr;
  float fixed_ns = 0;  ///< Of plain_cpu's CpuCost, as the next one; of plain_cpu, as the two after.
  float ns_per_row = 0;
  Placement placement{};
  bool has_expressions = false;
  std::uint32_t input_begin = 0;  ///< In RunLayout::inputs.
  std::uint32_t input_count = 0;
  std::uint32_t next_in_chain = kNoNode;
  static constexpr std::uint32_t kNoNode = 0xffffffff;
};
static_assert(sizeof(NodeStep) <= 32);  // two to a cache line

/// Made when the graph is complete; immutable.
struct RunLayout {
  std::vector<NodeStep> steps;           ///< By node.
  std::vector<InputRef> inputs;          ///< GraphNode::inputs of all nodes.
  std::vector<std::uint32_t> consumers;  ///< Per node and import.
  StaticSchedule schedule;               ///< Of a graph that waits for nothing.

  /// When all nodes have finished, the outputs are all that still has rows: no body was left out
  /// that could have wanted some.
  bool ends_with_outputs = true;

  /// The node that a job of the pool goes on with.
  std::optional<NodeId> NextInChain(NodeId node) const {
    const std::uint32_t next = steps[Index(node)].next_in_chain;
    return next == NodeStep::kNoNode ? std::nullopt : std::optional(NodeId{next});
  }
  std::span<const InputRef> InputsOf(const NodeStep& step) const {
    return std::span(inputs).subspan(step.input_begin, step.input_count);
  }
};

RunLayout MakeRunLayout(const Graph& graph);

}  // namespace rankd
