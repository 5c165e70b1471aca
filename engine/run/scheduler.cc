#include "engine/run/scheduler.h"

#include <ranges>

namespace rankd {

void Scheduler::Start(const Topology& topology, std::vector<NodeId>& ready) {
  topology_ = &topology;
  remaining_ = topology.required;
  finished_ = 0;
  overshoot_.reset();
  // Backwards, here and below: `ready` is a stack, so the first in the plan's order starts first.
  ready.insert(ready.end(), topology.sources.rbegin(), topology.sources.rend());
}

void Scheduler::Finished(NodeId node, std::vector<NodeId>& ready) {
  ++finished_;
  for (const NodeId successor : std::views::reverse(topology_->SuccessorsOf(node))) {
    std::uint32_t& remaining = remaining_[Index(successor)];
    if (remaining == 0) [[unlikely]] {
      if (!overshoot_) overshoot_ = successor;
      continue;
    }
    if (--remaining == 0) ready.push_back(successor);
  }
}

}  // namespace rankd
