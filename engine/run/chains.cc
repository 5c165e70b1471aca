// The part of Run that follows chains of CPU nodes while they run on the pool as one job.
#include "engine/base/deadline.h"
#include "engine/run/run.h"

namespace rankd {

void Run::StartChain(ActiveNode& active) {
  // Who has a time limit has to be told when it begins.
  bool watched = spec_.trace;
  const RunLayout& layout = active.activation()->graph->layout;
  for (auto node = std::optional(active.node()); node && !watched;
       node = layout.NextInChain(*node)) {
    watched = TimeoutOf(active.activation()->graph->nodes[Index(*node)]).has_value();
  }
  active.chain.Fill(*active.activation(), active.node(), watched);
}

void Run::FollowChain(ActiveNode& active) {
  ChainJob& chain = active.chain;
  Activation& activation = *active.activation();
  const std::size_t reached = chain.reached();
  if (chain.told == reached) return;
  for (; chain.told < reached; ++chain.told) {
    const ChainJob::Link& done = chain[chain.told];
    const ChainJob::Link& next = chain[chain.told + 1];
    if (spec_.trace) [[unlikely]] {
      recorder_.OnPoolWork(active.span, done.slice);
      recorder_.OnFinish(active.span, done.rows_out, done.slice.end);
    }
    ++counts_.completions;
    counts_.edges += activation.scheduler.Finished(done.node, activation.ready);
    // Nothing else waited for it: what is ready now is the next link, which runs already.
    activation.ready.Pop();
    ++counts_.starts;
    if (spec_.trace) [[unlikely]] {
      recorder_.OnReady(activation.trace, std::span(&next.node, 1), done.slice.end);
      active.span = recorder_.OnStart(activation.trace, next.node, RanOn::kPool, next.rows_in);
    }
  }
  active.MoveTo(chain[reached].node);
}

void Run::OnChainProgress(ActiveNode& active) {
  if (!IsWanted(active)) return;
  const std::size_t before = active.chain.told;
  FollowChain(active);
  if (active.chain.told == before) return;
  active.Disarm();
  const ChainJob::Link& link = active.chain[active.chain.told];
  if (const auto timeout = TimeoutOf(*link.graph_node)) {
    const TimePoint due = After(link.slice.start, *timeout);
    if (due < deadline_) services_.loop->Arm(active, due);
  }
}

}  // namespace rankd
