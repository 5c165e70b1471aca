// The part of Run that runs a graph in the order of its static schedule: without counters, without
// a stack, each node's rows moved or dropped where the schedule says so. A node that is to go to
// the pool ends that.
#include <utility>

#include "engine/run/cpu_policy.h"
#include "engine/run/cpu_work.h"
#include "engine/run/run.h"
#include "engine/run/turn_cost.h"

namespace rankd {

void Run::RunScheduled(Activation& activation) {
  const StaticSchedule& schedule = activation.graph->layout.schedule;
  RowSet* const results = activation.results.data();
  NodeContext context;
  context.schema = activation.graph->schema.get();
  dropper_.Begin();
  std::size_t at = activation.position;
  for (const std::size_t end = schedule.size(); at != end && turn_cost_ <= look_at_; ++at) {
    schedule.Prefetch(at);
    const ScheduledStep& step = schedule[at];
    const std::span<const InputRef> inputs = schedule.InputsOf(at);
    double cost = step.fixed_ns;
    if (step.ns_per_row > 0) {
      std::size_t rows = 0;
      for (const InputRef input : inputs) rows += results[Index(input.node())].rows();
      cost += static_cast<double>(step.ns_per_row) * static_cast<double>(rows);
    }
    if (!rankd::RunsInline(step.placement, cost, spec_.cpu)) {
      Advance(activation, at);
      activation.LeaveSchedule();
      return;
    }
    turn_cost_ += kNodeNanoseconds + cost;
    context.expressions = {};
    if (step.has_expressions) {
      if (Result<void> bound = BindInline(activation, step.node, context); !bound) [[unlikely]] {
        FailScheduled(activation, at, std::move(bound).error());
        return;
      }
    }
    context.inputs = InputRows(results, inputs, nullptr);
    Result<RowSet> result = RunCpuTask(*step.task, context);
    if (!result) [[unlikely]] {
      FailScheduled(activation, at, std::move(result).error());
      return;
    }
    results[Index(step.node)].Fill(*std::move(result));
    for (const NodeId node : schedule.DropsOf(at)) dropper_.Drop(results[Index(node)]);
  }
  Advance(activation, at);
}

void Run::Advance(Activation& activation, std::size_t position) {
  const StaticSchedule& schedule = activation.graph->layout.schedule;
  const std::size_t before = std::exchange(activation.position, position);
  counts_.starts += position - before;
  counts_.completions += position - before;
  counts_.edges += schedule.EdgesBefore(position) - schedule.EdgesBefore(before);
}

void Run::FailScheduled(Activation& activation, std::size_t position, Error error) {
  Advance(activation, position);
  ++counts_.starts;
  FailNode(activation, activation.graph->layout.schedule[position].node, std::move(error));
}

}  // namespace rankd
