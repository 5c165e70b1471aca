#include "engine/graph/scheduler.h"

namespace rankd {

void Scheduler::Start(const Topology& topology, ReadyStack& ready) {
  topology_ = &topology;
  remaining_ = topology.required;
  finished_ = 0;
  awaited_ = topology.node_count() - topology.lazy_count;
  overshoot_.reset();
  // Backwards, here and in Finished: `ready` is a stack, so the first in the plan's order starts
  // first.
  ready.Reserve(topology.node_count());
  for (auto source = topology.sources.rbegin(); source != topology.sources.rend(); ++source) {
    ready.Push(*source);
  }
}

void Scheduler::Demand(NodeId node, ReadyStack& ready) {
  if (--remaining_[Index(node)] == 0) ready.Push(node);
}

std::vector<std::uint32_t> Scheduler::Blocked() const {
  std::vector<std::uint32_t> blocked;
  for (std::uint32_t i = 0; i < remaining_.size(); ++i) {
    if (remaining_[i] > 0) blocked.push_back(i);
  }
  return blocked;
}

}  // namespace rankd
