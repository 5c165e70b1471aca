#include "engine/run/active_node.h"

#include <exception>
#include <utility>

#include "engine/base/check.h"
#include "engine/run/cpu_work.h"
#include "engine/run/run.h"

namespace rankd {

Result<void> ActiveNode::Bind(const EvalEnv& env) {
  RANKD_TRY(context.expressions, BindAll(*graph_node_, env, bound_));
  return {};
}

bool ActiveNode::StartCoroutine() {
  context.inputs = inputs;
  context.stop_source = &stop_source_;
  coroutine_.emplace(graph_node_->async_task->Run(context));
  return coroutine_->Start(*this);
}

Result<RowSet> ActiveNode::TakeCoroutineResult() {
  try {
    return coroutine_->TakeResult();
  } catch (...) {
    return std::unexpected(ErrorOfException());
  }
}

void ActiveNode::StartJob(Executor& executor, Loop& loop) {
  job_inputs_.clear();
  for (const RowSet& rows : inputs) job_inputs_.push_back(rows.Detached());
  context.inputs = job_inputs_;
  context.stop = StopToken(stop_flag_);
  loop_ = &loop;
  executor.Submit(*this);
}

void ActiveNode::StartWork(RegionWork& work, Executor& executor, Loop& loop) {
  work_ = &work;
  loop_ = &loop;
  executor.Submit(*this);
}

void ActiveNode::Pause(TimePoint due, Loop& loop) {
  pausing_ = true;
  loop.Arm(*this, due);
}

void ActiveNode::Stop() {
  Disarm();
  stop_flag_.Request();
  stop_source_.Stop();
}

void ActiveNode::Recycle() {
  EndAttempt();
  inputs.clear();
  attempt = 1;
  span = kNotTraced;
}

void ActiveNode::EndAttempt() {
  Disarm();
  pausing_ = false;
  work_ = nullptr;
  region.End();
  coroutine_.reset();
  bound_.clear();
  chain.Clear();
  job_inputs_.clear();
  context = AsyncContext();
  job_result_.reset();
  timed = false;
  stop_source_.Reset();
  stop_flag_.Reset();
}

void ActiveNode::OnCoDone() {
  try {
    run_.OnActiveDone(*this, TakeCoroutineResult());
  } catch (...) {
    // The end of a coroutine lets nothing through. What is thrown here is not a node's: memory for
    // the run itself.
    run_.ThrowLater(std::current_exception());
  }
}

void ActiveNode::Execute(std::uint32_t thread) {
  if (timed) pool_slice_ = {graph_node_, thread, loop_->Now(), {}};
  if (work_ != nullptr) {
    Result<void> done = RunRegionWork(*work_, StopToken(stop_flag_));
    if (done) {
      job_result_.emplace(RowSet::Absent());
    } else {
      job_result_.emplace(std::unexpected(std::move(done).error()));
    }
  } else if (!chain.empty()) {
    job_result_.emplace(
        chain.Run(std::move(job_inputs_), *context.schema, context.stop, *loop_, thread));
  } else {
    job_result_.emplace(RunCpuTask(*graph_node_->cpu_task, context));
  }
  if (timed) pool_slice_.end = loop_->Now();
  loop_->Post(*this);
}

void ActiveNode::OnChainProgress() { run_.OnChainProgress(*this); }

void ActiveNode::MoveTo(NodeId node) {
  node_ = node;
  graph_node_ = &activation_->graph->nodes[Index(node)];
}

void ActiveNode::OnLoop() { run_.OnActiveDone(*this, *std::move(job_result_)); }

void ActiveNode::OnTimer() {
  if (std::exchange(pausing_, false)) {
    run_.OnPauseOver(*this);
  } else {
    run_.OnNodeTimeout(*this);
  }
}

std::size_t ActiveNode::OnSubmit(const KvClient& client, const CommandBatch& commands) {
  return run_.OnSubmit(span, client, commands);
}

void ActiveNode::OnReplies(std::size_t pipeline, const Result<Replies>& replies) {
  run_.OnReplies(pipeline, replies);
}

Result<std::span<const BoundExpression>> BindAll(const GraphNode& node, const EvalEnv& env,
                                                 std::vector<BoundExpression>& room) {
  if (node.bound.size() == node.expressions.size()) return node.bound;
  room.clear();
  for (const ExpressionRef& expression : node.expressions) {
    RANKD_TRY(BoundExpression one, Bind(expression, env));
    room.push_back(std::move(one));
  }
  return room;
}

ActiveNode& ActiveNodes::Acquire(Activation& activation, NodeId node) {
  if (spare_.empty()) {
    all_.push_back(std::make_unique<ActiveNode>(run_));
    spare_.push_back(all_.back().get());
  }
  ActiveNode& active = *spare_.back();
  spare_.pop_back();
  ++under_way_;
  active.node_ = node;
  active.graph_node_ = &activation.graph->nodes[Index(node)];
  active.activation_ = &activation;
  active.previous_ = nullptr;
  active.next_ = activation.active;
  if (activation.active != nullptr) activation.active->previous_ = &active;
  activation.active = &active;
  return active;
}

void ActiveNodes::Abandon(ActiveNode& active) {
  if (active.previous_ != nullptr) {
    active.previous_->next_ = active.next_;
  } else {
    RANKD_CHECK(active.activation_->active == &active);
    active.activation_->active = active.next_;
  }
  if (active.next_ != nullptr) active.next_->previous_ = active.previous_;
  active.activation_ = nullptr;
}

void ActiveNodes::Release(ActiveNode& active) {
  if (active.wanted()) Abandon(active);
  active.Recycle();
  --under_way_;
  spare_.push_back(&active);
}

}  // namespace rankd
