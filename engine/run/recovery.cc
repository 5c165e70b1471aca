// The part of Run that sees to nodes with `retry`, `on_error` or bodies.
#include <random>
#include <utility>

#include "engine/run/cpu_policy.h"
#include "engine/run/cpu_work.h"
#include "engine/run/run.h"

namespace rankd {
namespace {

std::size_t RowsOf(const std::vector<RowSet>& inputs) {
  std::size_t rows = 0;
  for (const RowSet& input : inputs) rows += input.rows();
  return rows;
}

}  // namespace

void Run::StartRecoverable(Activation& activation, const GraphNode& node, NodeId id) {
  ActiveNode& active = active_.Acquire(activation, id);
  TakeInputs(activation, node.inputs, active.inputs);
  if (spec_.trace) {
    const std::size_t rows = RowsOf(active.inputs);
    const bool on_pool =
        node.cpu_task != nullptr && !rankd::RunsInline(*node.cpu_task, rows, spec_.cpu);
    active.span =
        recorder_.OnStart(activation.trace, id, on_pool ? RanOn::kPool : RanOn::kLoop, rows);
  }
  StartAttempt(active);
}

void Run::StartAttempt(ActiveNode& active) {
  const GraphNode& node = active.graph_node();
  if (node.region != nullptr) {
    StartRegion(active);
    return;
  }
  if (Result<void> bind = active.Bind(active.activation()->Env()); !bind) {
    AttemptFailed(active, std::move(bind).error());
    return;
  }
  if (node.cpu_task == nullptr) {
    Prepare(node, active);
    if (active.StartCoroutine()) AttemptDone(active, active.TakeCoroutineResult());
    return;
  }
  const std::size_t rows = RowsOf(active.inputs);
  if (!rankd::RunsInline(*node.cpu_task, rows, spec_.cpu)) {
    Prepare(node, active);
    active.StartJob(*services_.executor, *services_.loop);
    return;
  }
  turn_cost_ += node.cpu_task->cost().Of(rows);
  NodeContext context;
  context.inputs = active.inputs;
  context.schema = active.activation()->graph->schema.get();
  context.expressions = active.context.expressions;
  AttemptDone(active, RunCpuTask(*node.cpu_task, context));
}

void Run::AttemptDone(ActiveNode& active, Result<RowSet> result) {
  if (!result) {
    AttemptFailed(active, std::move(result).error());
    return;
  }
  Activation& activation = *active.activation();
  const NodeId id = active.node();
  active_.Release(active);
  NodeDone(activation, id, std::move(result));
}

void Run::AttemptFailed(ActiveNode& active, Error error) {
  active.EndAttempt();
  const GraphNode& node = active.graph_node();
  if (Retry(node, active, error.code)) return;
  Activation& activation = *active.activation();
  const NodeId id = active.node();
  const std::uint32_t span = active.span;
  RowSet rows(Column::Make(Column::Ints{}));
  if (node.on_error == OnError::kPass && !active.inputs.empty()) rows = active.inputs.front();
  active_.Release(active);
  if (node.on_error == OnError::kFail) {
    FailNode(activation, id, std::move(error));
    return;
  }
  if (spec_.trace) recorder_.OnRecover(span);
  NodeDone(activation, id, std::move(rows));
}

bool Run::Retry(const GraphNode& node, ActiveNode& active, ErrorCode code) {
  if (!node.retry || !node.retry->Covers(code)) return false;
  if (active.attempt >= node.retry->max_attempts) return false;
  if (!random_) random_.emplace(std::random_device{}());
  const double draw = std::uniform_real_distribution<double>(0, 1)(*random_);
  const TimePoint due = services_.loop->Now() + node.retry->PauseAfter(active.attempt, draw);
  if (due >= deadline_) return false;
  ++active.attempt;
  if (spec_.trace) recorder_.OnRetry(active.span);
  active.Pause(due, *services_.loop);
  return true;
}

void Run::OnPauseOver(ActiveNode& active) {
  Busy busy(*this);
  if (!IsWanted(active)) {
    active_.Release(active);
    return;
  }
  BeginTurn();
  StartAttempt(active);
  Drain();
}

}  // namespace rankd
