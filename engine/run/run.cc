#include "engine/run/run.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/base/deadline.h"
#include "engine/run/cpu_policy.h"

namespace rankd {
namespace {

/// Estimated inline work after which a run lets the loop turn, so that timers fire on time and
/// other requests get their share however long a plan of cheap nodes is.
constexpr double kTurnNanoseconds = 500'000;

/// What starting and finishing a node costs, besides its work.
constexpr double kNodeNanoseconds = 100;

}  // namespace

Run::Run(const RunServices& services, RunListener& listener)
    : services_(services), listener_(listener), active_(*this), recorder_(*services.loop) {}

Run::~Run() { RANKD_CHECK(state_ == State::kIdle); }

void Run::Start(RunSpec spec) {
  RANKD_CHECK(state_ == State::kIdle);
  Busy busy(*this);
  spec_ = std::move(spec);
  state_ = State::kRunning;
  const Graph& graph = *spec_.graph;
  results_.clear();
  results_.resize(graph.nodes.size());
  consumers_left_.resize(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    consumers_left_[i] = graph.nodes[i].consumers;
  }
  turn_cost_ = 0;
  start_time_ = services_.loop->Now();
  deadline_ = kNever;
  if (spec_.deadline && spec_.deadline->count() > 0) {
    deadline_ = After(start_time_, *spec_.deadline);
    if (deadline_ < kNever) services_.loop->Arm(deadline_timer_, deadline_);
  }
  kv_usage_ = KvUsage();
  ready_.clear();
  scheduler_.Start(graph.topology, ready_);
  if (spec_.trace) [[unlikely]] {
    recorder_.Begin(spec_.graph, start_time_);
    recorder_.OnReady(ready_);
  }
  Drain();
}

void Run::Cancel(Error error) {
  if (state_ != State::kRunning) return;
  Busy busy(*this);
  Fail(std::move(error));
}

void Run::Drain() {
  while (state_ == State::kRunning && !ready_.empty()) {
    if (turn_cost_ > kTurnNanoseconds) {
      if (!continuing_) {
        continuing_ = true;
        services_.loop->Post(continuation_);
      }
      return;
    }
    const NodeId id = ready_.back();
    ready_.pop_back();
    StartNode(id);
  }
  if (state_ != State::kRunning) return;
  if (scheduler_.done()) {
    Succeed();
  } else if (active_.empty()) {
    // Nothing in flight, nothing ready, outputs missing: never seen with a graph that was checked.
    Fail(Error(ErrorCode::kInternal, "dead end: nodes are blocked and nothing is in flight"));
  }
}

void Run::OnContinue() {
  Busy busy(*this);
  continuing_ = false;
  turn_cost_ = 0;
  if (state_ == State::kRunning) Drain();
}

void Run::StartNode(NodeId id) {
  const GraphNode& node = spec_.graph->nodes[Index(id)];
  if (MayRecover(node)) [[unlikely]] {
    StartRecoverable(node, id);
    return;
  }
  const EvalEnv env = Env();
  std::size_t rows = 0;
  if (node.cpu_task != nullptr || spec_.trace) {
    for (const NodeId input : node.inputs) rows += results_[Index(input)]->rows();
  }
  const bool runs_inline =
      node.cpu_task != nullptr && rankd::RunsInline(*node.cpu_task, rows, spec_.cpu);
  if (spec_.trace) [[unlikely]] {
    const bool on_pool = node.cpu_task != nullptr && !runs_inline;
    recorder_.OnStart(id, on_pool ? RanOn::kPool : RanOn::kLoop, rows);
  }
  if (runs_inline) {
    turn_cost_ += kNodeNanoseconds + node.cpu_task->EstimateCost(rows);
    RunInline(node, id, env);
  } else {
    StartActive(node, id, env);
  }
}

void Run::RunInline(const GraphNode& node, NodeId id, const EvalEnv& env) {
  if (Result<void> bind = BindExpressions(node, env, bound_); !bind) {
    FailNode(id, std::move(bind).error());
    return;
  }
  TakeInputs(node, inputs_);
  NodeContext context;
  context.inputs = inputs_;
  context.schema = spec_.graph->schema.get();
  context.expressions = bound_;
  Result<RowSet> result = RunCpuTask(*node.cpu_task, context);
  inputs_.clear();
  NodeDone(id, std::move(result));
}

void Run::StartActive(const GraphNode& node, NodeId id, const EvalEnv& env) {
  ActiveNode& active = active_.Acquire();
  if (Result<void> bind = BindExpressions(node, env, active.expressions); !bind) {
    active_.Release(active);
    FailNode(id, std::move(bind).error());
    return;
  }
  TakeInputs(node, active.inputs);
  Prepare(node, active);
  if (node.cpu_task != nullptr) {
    active.StartJob(node, id, *services_.executor, *services_.loop);
    return;
  }
  if (active.StartCoroutine(node, id)) {
    Result<RowSet> result = active.TakeCoroutineResult();
    active_.Release(active);
    NodeDone(id, std::move(result));
  }
}

EvalEnv Run::Env() const {
  EvalEnv env;
  env.params = &spec_.params;
  env.schema = spec_.graph->schema.get();
  return env;
}

void Run::Prepare(const GraphNode& node, ActiveNode& active) {
  active.context.schema = spec_.graph->schema.get();
  active.context.user_id = spec_.user_id;
  active.context.loop = services_.loop;
  active.context.clients = services_.clients;
  if (spec_.trace || spec_.count_kv) [[unlikely]] {
    active.ObservePipelines();
    active.timed = spec_.trace;
  }
  if (const auto timeout = TimeoutOf(node)) {
    const TimePoint due = After(services_.loop->Now(), *timeout);
    if (due < deadline_) services_.loop->Arm(active, due);
  }
}

void Run::TakeInputs(const GraphNode& node, std::vector<RowSet>& inputs) {
  inputs.clear();
  for (const NodeId input : node.inputs) {
    std::optional<RowSet>& result = results_[Index(input)];
    if (--consumers_left_[Index(input)] == 0) {
      inputs.push_back(*std::move(result));
      result.reset();
    } else {
      inputs.push_back(*result);
    }
  }
}

Result<void> Run::BindExpressions(const GraphNode& node, const EvalEnv& env,
                                  std::vector<BoundExpression>& bound) {
  bound.clear();
  for (const ExpressionRef& expression : node.expressions) {
    RANKD_TRY(BoundExpression one, Bind(expression, env));
    bound.push_back(std::move(one));
  }
  return {};
}

std::optional<std::chrono::milliseconds> Run::TimeoutOf(const GraphNode& node) const {
  const auto timeout = node.timeout ? node.timeout : spec_.node_timeout;
  if (!timeout || timeout->count() == 0) return std::nullopt;
  return timeout;
}

void Run::NodeDone(NodeId id, Result<RowSet> result) {
  if (!result) {
    FailNode(id, std::move(result).error());
    return;
  }
  if (spec_.trace) [[unlikely]]
    recorder_.OnFinish(id, result->rows());
  if (consumers_left_[Index(id)] > 0) results_[Index(id)].emplace(*std::move(result));
  const std::size_t ready_before = ready_.size();
  scheduler_.Finished(id, ready_);
  if (spec_.trace) [[unlikely]]
    recorder_.OnReady(std::span(ready_).subspan(ready_before));
  if (const std::optional<NodeId> overshoot = scheduler_.overshoot()) [[unlikely]] {
    FailNode(*overshoot, Error(ErrorCode::kInternal, "more edges completed than required"));
  }
}

void Run::OnActiveDone(ActiveNode& active, Result<RowSet> result) {
  Busy busy(*this);
  const NodeId id = active.node();
  if (active.timed && spec_.graph->nodes[Index(id)].cpu_task != nullptr) [[unlikely]] {
    recorder_.OnPoolWork(active.pool_slice());
  }
  // Answered already, or out of time: late results are dropped.
  if (state_ != State::kRunning || !active.wanted) {
    active_.Release(active);
    return;
  }
  turn_cost_ = 0;
  if (MayRecover(spec_.graph->nodes[Index(id)])) [[unlikely]] {
    AttemptDone(active, std::move(result));
  } else {
    active_.Release(active);
    NodeDone(id, std::move(result));
  }
  Drain();
}

std::size_t Run::OnSubmit(NodeId id, const KvClient& client, const CommandBatch& commands) {
  kv_usage_.commands += commands.size();
  kv_usage_.bytes_sent += WireBytes(commands);
  return spec_.trace ? recorder_.OnSubmit(id, client.name(), commands) : 0;
}

void Run::OnReplies(std::size_t pipeline, const Result<Replies>& replies) {
  if (state_ != State::kRunning) return;
  if (replies) kv_usage_.bytes_received += WireBytes(*replies);
  if (spec_.trace) recorder_.OnReplies(pipeline, replies);
}

void Run::OnNodeTimeout(ActiveNode& active) {
  if (state_ != State::kRunning) return;
  Busy busy(*this);
  const NodeId id = active.node();
  const GraphNode& node = spec_.graph->nodes[Index(id)];
  Error error(ErrorCode::kNodeTimeout,
              "no result within " + std::to_string(TimeoutOf(node)->count()) + " ms");
  if (!MayRecover(node)) [[likely]] {
    FailNode(id, std::move(error));
    return;
  }
  // The attempt may take its time to end; what comes next does not wait for it.
  ActiveNode& next = active_.Acquire();
  next.set_node(id);
  next.inputs = active.inputs;
  next.attempt = active.attempt;
  active.wanted = false;
  active.Stop();
  turn_cost_ = 0;
  AttemptFailed(next, std::move(error));
  Drain();
}

void Run::OnDeadline() {
  Busy busy(*this);
  Fail(Error(ErrorCode::kDeadlineExceeded,
             "no answer within " + std::to_string(spec_.deadline->count()) + " ms"));
}

void Run::Succeed() {
  outputs_.clear();
  for (const NodeId output : spec_.graph->outputs) outputs_.push_back(*results_[Index(output)]);
  state_ = State::kStopping;
  deadline_timer_.Disarm();
  if (spec_.trace) [[unlikely]]
    recorder_.OnAnswer(nullptr);
  listener_.OnAnswer(*this, std::span<const RowSet>(outputs_));
}

void Run::FailNode(NodeId id, Error error) {
  const GraphNode& node = spec_.graph->nodes[Index(id)];
  error.node = node.id;
  error.op = node.op;
  Fail(std::move(error), &id);
}

void Run::Fail(Error error, const NodeId* node) {
  state_ = State::kStopping;
  deadline_timer_.Disarm();
  if (spec_.trace) [[unlikely]]
    recorder_.OnAnswer(node);
  // The answer first: stopping may take as long as what is stopped.
  listener_.OnAnswer(*this, std::unexpected(std::move(error)));
  active_.StopAll();
}

void Run::LeaveBusy() {
  if (--busy_ > 0 || state_ != State::kStopping || !active_.empty() || continuing_) return;
  state_ = State::kIdle;
  results_.clear();
  outputs_.clear();
  spec_ = RunSpec();
  listener_.OnIdle(*this);
}

}  // namespace rankd
