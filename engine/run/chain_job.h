// ChainJob: CPU nodes that follow one another, each taking what the one before gave and nothing
// else, as one job of the pool: the rows cross threads once, not once a node.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/rowset.h"
#include "engine/graph/graph.h"
#include "engine/io/loop.h"
#include "engine/run/activation.h"
#include "engine/run/trace.h"

namespace rankd {

class ActiveNode;

/// Part of an ActiveNode, kept for its memory. Filled on the loop thread, run on one pool thread.
/// Meanwhile the loop thread may read the links up to reached(), but for the last one's end.
class ChainJob final : private LoopTask {
 public:
  struct Link {
    NodeId node{};
    const GraphNode* graph_node = nullptr;
    std::vector<BoundExpression> room;  ///< Of the expressions.
    std::span<const BoundExpression> expressions;
    std::optional<Error> unbound;  ///< Why its expressions could not be bound: its failure.
    PoolSlice slice;               ///< When it ran.
    std::size_t rows_in = 0;
    std::size_t rows_out = 0;
  };

  explicit ChainJob(ActiveNode& owner) : owner_(owner) {}

  /// Nothing to run.
  bool empty() const { return size_ == 0; }
  const Link& operator[](std::size_t i) const { return links_[i]; }

  /// Loop thread. `first`, which takes `inputs`, and all nodes that follow it. `watched`: the run
  /// wants to know at once when a link has begun (Run::OnChainProgress).
  void Fill(const Activation& activation, NodeId first, bool watched);
  void Clear();

  /// Pool thread. The last link's result, or the failure of the one reached.
  Result<RowSet> Run(std::vector<RowSet> inputs, const Schema& schema, StopToken stop, Loop& loop,
                     std::uint32_t thread);
  /// The link that runs, or ran last. Any thread.
  std::size_t reached() const { return reached_.load(std::memory_order_acquire); }

  std::size_t told = 0;  ///< The link the run has last heard of. Loop thread.

 private:
  void OnLoop() override;
  static Result<RowSet> RunLink(const Link& link, std::span<const RowSet> inputs,
                                const Schema& schema, StopToken stop);

  ActiveNode& owner_;
  std::vector<Link> links_;
  std::size_t size_ = 0;  // of links_; the others are spare
  bool watched_ = false;
  std::atomic<std::size_t> reached_ = 0;
  std::atomic<bool> posted_ = false;
};

}  // namespace rankd
