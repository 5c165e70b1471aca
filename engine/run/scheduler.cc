#include "engine/run/scheduler.h"

namespace rankd {

void Scheduler::Start(const Topology& topology, std::vector<NodeId>& ready) {
  topology_ = &topology;
  remaining_ = topology.required;
  finished_ = 0;
  awaited_ = topology.node_count() - topology.lazy_count;
  overshoot_.reset();
  // Backwards, here and in Finished: `ready` is a stack, so the first in the plan's order starts
  // first.
  ready.insert(ready.end(), topology.sources.rbegin(), topology.sources.rend());
}

void Scheduler::Demand(NodeId node, std::vector<NodeId>& ready) {
  if (--remaining_[Index(node)] == 0) ready.push_back(node);
}

std::vector<std::uint32_t> Scheduler::Blocked() const {
  std::vector<std::uint32_t> blocked;
  for (std::uint32_t i = 0; i < remaining_.size(); ++i) {
    if (remaining_[i] > 0) blocked.push_back(i);
  }
  return blocked;
}

}  // namespace rankd
