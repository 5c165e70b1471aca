#include "engine/run/chain_job.h"

#include <utility>

#include "engine/run/active_node.h"
#include "engine/run/cpu_work.h"

namespace rankd {
namespace {

std::size_t CountRows(std::span<const RowSet> inputs) {
  std::size_t rows = 0;
  for (const RowSet& input : inputs) rows += input.rows();
  return rows;
}

}  // namespace

void ChainJob::Fill(const Activation& activation, NodeId first, bool watched) {
  const Graph& graph = *activation.graph;
  const EvalEnv env = activation.Env();
  watched_ = watched;
  told = 0;
  reached_.store(0, std::memory_order_relaxed);
  size_ = 0;
  for (std::optional<NodeId> node = first; node; node = graph.layout.NextInChain(*node)) {
    if (size_ == links_.size()) links_.emplace_back();
    Link& link = links_[size_++];
    link.node = *node;
    link.graph_node = &graph.nodes[Index(*node)];
    link.unbound.reset();
    Result<std::span<const BoundExpression>> bound = BindAll(*link.graph_node, env, link.room);
    if (bound) {
      link.expressions = *bound;
    } else {
      link.unbound = std::move(bound).error();
    }
  }
}

void ChainJob::Clear() {
  for (std::size_t i = 0; i < size_; ++i) links_[i].room.clear();
  size_ = 0;
}

Result<RowSet> ChainJob::Run(std::vector<RowSet> inputs, const Schema& schema, StopToken stop,
                             Loop& loop, std::uint32_t thread) {
  for (std::size_t i = 0;; ++i) {
    Link& link = links_[i];
    link.rows_in = CountRows(inputs);
    link.slice = {link.graph_node, thread, loop.Now(), {}};
    if (i > 0) {
      reached_.store(i, std::memory_order_release);
      // One that is still on its way will read what has just been written.
      if (watched_ && !posted_.exchange(true)) loop.Post(*this);
    }
    Result<RowSet> result = RunLink(link, inputs, schema, stop);
    link.slice.end = loop.Now();
    if (!result || i + 1 == size_ || stop.stop_requested()) return result;
    link.rows_out = result->rows();
    inputs.assign(links_[i + 1].graph_node->inputs.size(), *result);
  }
}

Result<RowSet> ChainJob::RunLink(const Link& link, std::span<const RowSet> inputs,
                                 const Schema& schema, StopToken stop) {
  if (link.unbound) return std::unexpected(*link.unbound);
  NodeContext context;
  context.inputs = inputs;
  context.schema = &schema;
  context.expressions = link.expressions;
  context.stop = stop;
  return RunCpuTask(*link.graph_node->cpu_task, context);
}

void ChainJob::OnLoop() {
  posted_.store(false);
  owner_.OnChainProgress();
}

}  // namespace rankd
