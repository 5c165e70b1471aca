#include "engine/graph/leading_rows.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace rankd {

void UseLeadingRows(Graph& graph) {
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode& node = graph.nodes[i];
    // One consumer in all: neither an output nor a body sees the rows besides.
    const std::span<const NodeId> successors = graph.topology.SuccessorsOf(NodeId{i});
    if (node.cpu_task == nullptr || node.consumers != 1 || successors.size() != 1) continue;
    const GraphNode& taker = graph.nodes[Index(successors.front())];
    // One that may pass its input on in place of its rows looks at all of it.
    if (taker.cpu_task == nullptr || MayRecover(taker)) continue;
    const std::optional<std::size_t> rows = taker.cpu_task->LeadingRows();
    if (!rows) continue;
    if (std::unique_ptr<const CpuTask> task = node.cpu_task->ForLeadingRows(*rows)) {
      node.cpu_task = task.get();
      node.task = std::move(task);
    }
  }
}

}  // namespace rankd
