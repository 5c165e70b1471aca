#include "engine/run/scheduler.h"

#include <ranges>

namespace rankd {

void Scheduler::Start(const Topology& topology, std::vector<NodeId>& ready) {
  topology_ = &topology;
  remaining_ = topology.required;
  finished_ = 0;
  awaited_ = topology.node_count() - topology.lazy_count;
  overshoot_.reset();
  // Backwards, here and below: `ready` is a stack, so the first in the plan's order starts first.
  ready.insert(ready.end(), topology.sources.rbegin(), topology.sources.rend());
}

std::size_t Scheduler::Finished(NodeId node, std::vector<NodeId>& ready) {
  if (topology_->lazy_count == 0 || !topology_->lazy[Index(node)]) ++finished_;
  const std::span<const NodeId> successors = topology_->SuccessorsOf(node);
  for (const NodeId successor : std::views::reverse(successors)) {
    std::uint32_t& remaining = remaining_[Index(successor)];
    if (remaining == 0) [[unlikely]] {
      if (!overshoot_) overshoot_ = successor;
      continue;
    }
    if (--remaining == 0) ready.push_back(successor);
  }
  return successors.size();
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
