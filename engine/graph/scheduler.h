// The scheduler: counters, and nothing else. A completion pushes readiness forward; nothing scans.
// Pure, no clock, no IO; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/graph/ready_stack.h"
#include "engine/graph/topology.h"

namespace rankd {

/// The readiness of one run (or one activation) of a Topology. Every node is pushed to `ready`
/// exactly once, by the completion that made its last required edge complete.
class Scheduler {
 public:
  /// Forgets any run before. `topology` must outlive the run. O(nodes), no allocation after the
  /// first use with a topology of that size.
  void Start(const Topology& topology, ReadyStack& ready);

  /// `node` has completed, or, if it is an import, its rows have come: pushes the successors that
  /// are ready now. Gives how many edges that were. O(successors).
  [[gnu::always_inline]] std::size_t Finished(NodeId node, ReadyStack& ready) {
    if (topology_->lazy_count == 0 || !topology_->lazy[Index(node)]) ++finished_;
    const std::span<const NodeId> successors = topology_->SuccessorsOf(node);
    std::uint32_t* const remaining = remaining_.data();
    ready.PushIf(successors, [&](NodeId successor) {
      const std::uint32_t left = remaining[Index(successor)];
      if (left == 0) [[unlikely]] {
        if (!overshoot_) overshoot_ = successor;
        return false;
      }
      remaining[Index(successor)] = left - 1;
      return left == 1;
    });
    return successors.size();
  }

  /// A body needs the lazy `node`: an edge more has completed. At most once a node.
  void Demand(NodeId node, ReadyStack& ready);

  /// Every node has finished, lazy ones aside, and every import has come.
  bool done() const { return finished_ == awaited_; }
  /// Nodes and imports that have finished, lazy ones aside.
  std::size_t finished() const { return finished_; }

  /// For a message: the nodes of which some required edge has not completed, and imports that have
  /// not come. O(nodes).
  std::vector<std::uint32_t> Blocked() const;

  /// The first node of which more edges completed than it requires: always a bug, never seen with
  /// a Topology that BuildGraph made. The run fails as internal.
  std::optional<NodeId> overshoot() const { return overshoot_; }

 private:
  const Topology* topology_ = nullptr;
  std::vector<std::uint32_t> remaining_;  ///< Per node: required edges still to complete.
  std::size_t finished_ = 0;
  std::size_t awaited_ = 0;
  std::optional<NodeId> overshoot_;
};

}  // namespace rankd
