// The part of Run that sees to nodes with `retry` or `on_error`.
#include <random>
#include <utility>

#include "engine/run/cpu_policy.h"
#include "engine/run/run.h"

namespace rankd {

void Run::StartRecoverable(const GraphNode& node, NodeId id) {
  ActiveNode& active = active_.Acquire();
  active.set_node(id);
  TakeInputs(node, active.inputs);
  if (spec_.trace) {
    std::size_t rows = 0;
    for (const RowSet& input : active.inputs) rows += input.rows();
    const bool on_pool =
        node.cpu_task != nullptr && !rankd::RunsInline(*node.cpu_task, rows, spec_.cpu);
    recorder_.OnStart(id, on_pool ? RanOn::kPool : RanOn::kLoop, rows);
  }
  StartAttempt(active);
}

void Run::StartAttempt(ActiveNode& active) {
  const NodeId id = active.node();
  const GraphNode& node = spec_.graph->nodes[Index(id)];
  if (Result<void> bind = BindExpressions(node, Env(), active.expressions); !bind) {
    AttemptFailed(active, std::move(bind).error());
    return;
  }
  if (node.cpu_task == nullptr) {
    Prepare(node, active);
    if (active.StartCoroutine(node, id)) AttemptDone(active, active.TakeCoroutineResult());
    return;
  }
  std::size_t rows = 0;
  for (const RowSet& input : active.inputs) rows += input.rows();
  if (!rankd::RunsInline(*node.cpu_task, rows, spec_.cpu)) {
    Prepare(node, active);
    active.StartJob(node, id, *services_.executor, *services_.loop);
    return;
  }
  turn_cost_ += node.cpu_task->EstimateCost(rows);
  NodeContext context;
  context.inputs = active.inputs;
  context.schema = spec_.graph->schema.get();
  context.expressions = active.expressions;
  AttemptDone(active, RunCpuTask(*node.cpu_task, context));
}

void Run::AttemptDone(ActiveNode& active, Result<RowSet> result) {
  if (!result) {
    AttemptFailed(active, std::move(result).error());
    return;
  }
  const NodeId id = active.node();
  active_.Release(active);
  NodeDone(id, std::move(result));
}

void Run::AttemptFailed(ActiveNode& active, Error error) {
  active.EndAttempt();
  const NodeId id = active.node();
  const GraphNode& node = spec_.graph->nodes[Index(id)];
  if (Retry(node, active, error.code)) return;
  RowSet rows(Column::Make(Column::Ints{}));
  if (node.on_error == OnError::kPass && !active.inputs.empty()) rows = active.inputs.front();
  active_.Release(active);
  if (node.on_error == OnError::kFail) {
    FailNode(id, std::move(error));
    return;
  }
  if (spec_.trace) recorder_.OnRecover(id);
  NodeDone(id, std::move(rows));
}

bool Run::Retry(const GraphNode& node, ActiveNode& active, ErrorCode code) {
  if (!node.retry || !node.retry->Covers(code)) return false;
  if (active.attempt >= node.retry->max_attempts) return false;
  if (!random_) random_.emplace(std::random_device{}());
  const double draw = std::uniform_real_distribution<double>(0, 1)(*random_);
  const TimePoint due = services_.loop->Now() + node.retry->PauseAfter(active.attempt, draw);
  if (due >= deadline_) return false;
  ++active.attempt;
  if (spec_.trace) recorder_.OnRetry(active.node());
  active.Pause(due, *services_.loop);
  return true;
}

void Run::OnPauseOver(ActiveNode& active) {
  Busy busy(*this);
  turn_cost_ = 0;
  StartAttempt(active);
  Drain();
}

void Run::OnPauseStopped(ActiveNode& active) { active_.Release(active); }

}  // namespace rankd
