#include "engine/run/run.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/base/deadline.h"
#include "engine/base/thread_slot.h"
#include "engine/run/cpu_policy.h"
#include "engine/run/cpu_work.h"
#include "engine/run/turn_cost.h"

namespace rankd {
namespace {

/// Estimated inline work after which a run lets the loop turn, so that timers fire on time and
/// other requests get their share however long a plan of cheap nodes is.
constexpr double kTurnNanoseconds = 500'000;

/// Estimates are rough: after this much of it the clock is asked how long it has really been.
constexpr double kLookNanoseconds = 25'000;

/// Places at the head of the queue that are let be before they are cleared away.
constexpr std::size_t kQueueSlack = 64;

}  // namespace

Run::Run(const RunServices& services, RunListener& listener)
    : services_(services), listener_(listener), active_(*this), recorder_(*services.loop) {}

Run::~Run() { RANKD_CHECK(state_ == State::kIdle); }

void Run::Start(RunSpec spec) {
  RANKD_CHECK(state_ == State::kIdle);
  ClaimThreadSlot();
  Busy busy(*this);
  spec_ = std::move(spec);
  state_ = State::kRunning;
  BeginTurn();
  start_time_ = services_.loop->Now();
  deadline_ = kNever;
  if (spec_.deadline && spec_.deadline->count() > 0) {
    deadline_ = After(start_time_, *spec_.deadline);
    if (deadline_ < kNever) services_.loop->Arm(deadline_timer_, deadline_);
  }
  kv_usage_ = KvUsage();
  counts_ = RunCounts();
  // A trace tells when each node became ready, which the schedule does not know.
  plan_.Begin(*spec_.graph, !spec_.trace);
  plan_.params = &spec_.params;
  if (spec_.trace) [[unlikely]] {
    recorder_.Begin(spec_.graph, start_time_, plan_.trace);
    recorder_.OnReady(plan_.trace, plan_.ready.Above(0));
  }
  Queue(plan_);
  Drain();
}

RunTrace Run::TakeTrace() {
  RANKD_CHECK(state_ == State::kIdle);
  return recorder_.TakeTrace();
}

void Run::Cancel(Error error) {
  if (state_ != State::kRunning) return;
  Busy busy(*this);
  Fail(std::move(error));
}

void Run::Queue(Activation& activation) {
  if (activation.queued) return;
  activation.queued = true;
  queue_.push_back(&activation);
}

void Run::Drain() {
  // First come, first served: what a node that holds bodies makes ready waits until the nodes
  // beside it, which may wait for a store, have started.
  while (state_ == State::kRunning && (queue_head_ < queue_.size() || !deferred_regions_.empty())) {
    if (turn_cost_ > look_at_ && TurnIsOver()) {
      if (!continuing_) {
        continuing_ = true;
        services_.loop->Post(continuation_);
      }
      return;
    }
    if (queue_head_ == queue_.size()) {
      TakeUpDeferred();
      continue;
    }
    Activation& activation = *queue_[queue_head_];
    const bool over = !activation.ended && IsOver(activation);
    if (!activation.ended && !over && activation.HasReady()) {
      if (activation.scheduled) {
        RunScheduled(activation);
      } else {
        RunReady(activation);
      }
      continue;
    }
    activation.queued = false;
    if (++queue_head_ == queue_.size()) {
      queue_.clear();
      queue_head_ = 0;
    } else if (queue_head_ >= kQueueSlack && queue_head_ * 2 >= queue_.size()) {
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(queue_head_));
      queue_head_ = 0;
    }
    if (activation.ended) {
      activation.ended = false;
      activations_.Recycle(activation);
    } else if (!over) {
      Settle(activation);
    }
  }
}

bool Run::IsWanted(const ActiveNode& active) const {
  return state_ == State::kRunning && active.wanted() && !IsOver(*active.activation());
}

void Run::BeginTurn() {
  turn_cost_ = 0;
  look_at_ = kLookNanoseconds;
  turn_start_.reset();
}

bool Run::TurnIsOver() {
  if (turn_cost_ > kTurnNanoseconds) return true;
  look_at_ = turn_cost_ + kLookNanoseconds;
  const TimePoint now = services_.loop->Now();
  if (!turn_start_) turn_start_ = now;
  return now - *turn_start_ > std::chrono::nanoseconds(static_cast<std::int64_t>(kTurnNanoseconds));
}

void Run::OnContinue() {
  Busy busy(*this);
  continuing_ = false;
  BeginTurn();
  if (state_ == State::kRunning) Drain();
}

void Run::ThrowLater(std::exception_ptr thrown) {
  if (thrown_ != nullptr) return;
  thrown_ = std::move(thrown);
  services_.loop->Post(thrower_);
}

void Run::OnThrow() { std::rethrow_exception(std::exchange(thrown_, nullptr)); }

/// Inlined into the loop over what is ready, which then keeps what it looks at in registers: a
/// third of the cost of a node that does nothing.
[[gnu::always_inline]] inline void Run::Complete(Activation& activation, NodeId id, RowSet&& rows) {
  if (spec_.trace) [[unlikely]]
    recorder_.OnFinish(activation.trace.SpanOf(id), rows.rows());
  if (activation.consumers_left[Index(id)] > 0) {
    activation.results[Index(id)].Fill(std::move(rows));
  }
  const std::size_t ready_before = activation.ready.size();
  ++counts_.completions;
  counts_.edges += activation.scheduler.Finished(id, activation.ready);
  if (spec_.trace) [[unlikely]]
    recorder_.OnReady(activation.trace, activation.ready.Above(ready_before));
  if (activation.scheduler.overshoot()) [[unlikely]] {
    FailNode(activation, *activation.scheduler.overshoot(),
             Error(ErrorCode::kInternal, "more edges completed than required"));
    return;
  }
  if (!activation.queued) Queue(activation);
  if (!activation.waiters.empty()) [[unlikely]]
    Deliver(activation, id);
}

void Run::RunReady(Activation& activation) {
  const Graph& graph = *activation.graph;
  NodeContext context;
  context.schema = graph.schema.get();
  // Whatever ends the activation empties its stack.
  while (!activation.ready.empty() && turn_cost_ <= look_at_) {
    const NodeId id = activation.ready.Pop();
    const NodeStep& step = graph.layout.steps[Index(id)];
    ++counts_.starts;
    if (step.plain_cpu == nullptr) {
      StartOther(activation, id);
      continue;
    }
    double cost = step.fixed_ns;
    std::size_t rows = 0;
    // Rows are counted where it matters: they lie elsewhere in memory.
    if (step.ns_per_row > 0 || spec_.trace) {
      for (const InputRef input : graph.layout.InputsOf(step)) {
        rows += activation.results[Index(input.node())].rows();
      }
      cost += static_cast<double>(step.ns_per_row) * static_cast<double>(rows);
    }
    const bool runs_inline = rankd::RunsInline(step.placement, cost, spec_.cpu);
    if (spec_.trace) [[unlikely]] {
      recorder_.OnStart(activation.trace, id, runs_inline ? RanOn::kLoop : RanOn::kPool, rows);
    }
    if (runs_inline) {
      turn_cost_ += kNodeNanoseconds + cost;
      RunInline(activation, step, id, context);
    } else {
      StartActive(activation, graph.nodes[Index(id)], id);
    }
  }
}

void Run::StartOther(Activation& activation, NodeId id) {
  const GraphNode& node = activation.graph->nodes[Index(id)];
  if (MayRecover(node) || node.region != nullptr) {
    StartRecoverable(activation, node, id);
    return;
  }
  if (spec_.trace) [[unlikely]] {
    std::size_t rows = 0;
    for (const NodeId input : node.inputs) rows += activation.results[Index(input)].rows();
    recorder_.OnStart(activation.trace, id, RanOn::kLoop, rows);
  }
  StartActive(activation, node, id);
}

[[gnu::always_inline]] inline void Run::RunInline(Activation& activation, const NodeStep& step,
                                                  NodeId id, NodeContext& context) {
  const Graph& graph = *activation.graph;
  context.expressions = {};
  if (step.has_expressions) {
    if (Result<void> bound = BindInline(activation, id, context); !bound) {
      FailNode(activation, id, std::move(bound).error());
      return;
    }
  }
  const std::span<const InputRef> inputs = graph.layout.InputsOf(step);
  std::uint32_t* const left = activation.consumers_left.data();
  RowSet* const results = activation.results.data();
  context.inputs = InputRows(results, inputs, left);
  Result<RowSet> result = RunCpuTask(*step.plain_cpu, context);
  for (const InputRef input : inputs) {
    const std::size_t place = Index(input.node());
    if (--left[place] == 0) results[place].Drop();
  }
  if (!result) [[unlikely]] {
    FailNode(activation, id, std::move(result).error());
  } else {
    Complete(activation, id, *std::move(result));
  }
}

Result<void> Run::BindInline(const Activation& activation, NodeId id, NodeContext& context) {
  RANKD_TRY(context.expressions,
            BindAll(activation.graph->nodes[Index(id)], activation.Env(), bound_));
  return {};
}

void Run::StartActive(Activation& activation, const GraphNode& node, NodeId id) {
  turn_cost_ += kActiveNodeNanoseconds;
  ActiveNode& active = active_.Acquire(activation, id);
  if (Result<void> bind = active.Bind(activation.Env()); !bind) {
    active_.Release(active);
    FailNode(activation, id, std::move(bind).error());
    return;
  }
  TakeInputs(activation, node.inputs, active.inputs);
  Prepare(node, active);
  if (node.cpu_task != nullptr) {
    if (spec_.cpu != CpuMode::kOffload && activation.graph->layout.NextInChain(id)) {
      StartChain(active);
    }
    active.StartJob(*services_.executor, *services_.loop);
    return;
  }
  if (active.StartCoroutine()) {
    Result<RowSet> result = active.TakeCoroutineResult();
    active_.Release(active);
    NodeDone(activation, id, std::move(result));
  }
}

void Run::Prepare(const GraphNode& node, ActiveNode& active) {
  active.context.schema = active.activation()->graph->schema.get();
  active.context.user_id = spec_.user_id;
  active.context.loop = services_.loop;
  active.context.clients = services_.clients;
  if (spec_.trace || spec_.count_kv) [[unlikely]] {
    active.ObservePipelines();
    active.timed = spec_.trace;
    if (spec_.trace) active.span = active.activation()->trace.SpanOf(active.node());
  }
  if (const auto timeout = TimeoutOf(node)) {
    const TimePoint due = After(services_.loop->Now(), *timeout);
    if (due < deadline_) services_.loop->Arm(active, due);
  }
}

void Run::TakeInputs(Activation& activation, std::span<const NodeId> nodes,
                     std::vector<RowSet>& inputs) {
  inputs.clear();
  for (const NodeId input : nodes) {
    RowSet& result = activation.results[Index(input)];
    if (--activation.consumers_left[Index(input)] == 0) {
      inputs.push_back(std::move(result));
    } else {
      inputs.push_back(result);
    }
  }
}

std::optional<std::chrono::milliseconds> Run::TimeoutOf(const GraphNode& node) const {
  // What flags and requests say holds for tasks.
  const auto timeout = node.timeout || node.region != nullptr ? node.timeout : spec_.node_timeout;
  if (!timeout || timeout->count() == 0) return std::nullopt;
  return timeout;
}

void Run::NodeDone(Activation& activation, NodeId id, Result<RowSet>&& result) {
  if (!result) {
    FailNode(activation, id, std::move(result).error());
  } else {
    Complete(activation, id, *std::move(result));
  }
}

void Run::FailNode(Activation& activation, NodeId id, Error error) {
  // What failed inside a body has its name already.
  if (error.node.empty()) {
    const GraphNode& node = activation.graph->nodes[Index(id)];
    error.node = node.id;
    error.op = node.op;
  }
  if (spec_.trace) [[unlikely]]
    recorder_.OnFail(activation.trace.SpanOf(id));
  FailActivation(activation, std::move(error));
}

void Run::OnActiveDone(ActiveNode& active, Result<RowSet> result) {
  Busy busy(*this);
  // Answered already, or out of time: late results are dropped.
  const bool wanted = IsWanted(active);
  if (wanted && !active.chain.empty()) FollowChain(active);
  if (active.timed && active.graph_node().cpu_task != nullptr) [[unlikely]] {
    recorder_.OnPoolWork(active.span, active.pool_slice());
  }
  if (!wanted) {
    active_.Release(active);
    return;
  }
  if (busy_ > 1) {
    // Ending one thing has ended another, further up the stack: its turn comes.
    active.Keep(std::move(result));
    deferred_.push_back(&active);
    return;
  }
  TakeResult(active, std::move(result));
  Drain();
}

void Run::TakeResult(ActiveNode& active, Result<RowSet> result) {
  BeginTurn();
  if (active.region.active()) [[unlikely]] {
    active.EndWork();
    Result<void> done;
    if (!result) done = std::unexpected(std::move(result).error());
    active.region.state().OnComputed(std::move(done));
    return;
  }
  if (MayRecover(active.graph_node())) [[unlikely]] {
    AttemptDone(active, std::move(result));
    return;
  }
  Activation& activation = *active.activation();
  const NodeId id = active.node();
  active_.Release(active);
  NodeDone(activation, id, std::move(result));
}

std::size_t Run::OnSubmit(std::uint32_t span, const KvClient& client,
                          const CommandBatch& commands) {
  kv_usage_.commands += commands.size();
  kv_usage_.bytes_sent += commands.RespBytes();
  return spec_.trace ? recorder_.OnSubmit(span, client.name(), commands) : 0;
}

void Run::OnReplies(std::size_t pipeline, const Result<Replies>& replies) {
  if (state_ != State::kRunning) return;
  if (replies) kv_usage_.bytes_received += WireBytes(*replies);
  if (spec_.trace) recorder_.OnReplies(pipeline, replies);
}

void Run::OnNodeTimeout(ActiveNode& active) {
  if (state_ != State::kRunning || IsOver(*active.activation())) return;
  // The job has gone on to the next node meanwhile; word of it is on its way.
  if (!active.chain.empty() && active.chain.reached() != active.chain.told) return;
  Busy busy(*this);
  const NodeId id = active.node();
  const GraphNode& node = active.graph_node();
  Activation& activation = *active.activation();
  Error error(ErrorCode::kNodeTimeout,
              "no result within " + std::to_string(TimeoutOf(node)->count()) + " ms");
  BeginTurn();
  if (node.region != nullptr) {
    error.node = node.id;
    error.op = node.op;
    active.region.state().OnTimeout(std::move(error));
  } else if (!MayRecover(node)) {
    FailNode(activation, id, std::move(error));  // which stops it
  } else {
    // The attempt may take its time to end; what comes next does not wait for it.
    AttemptFailed(Supersede(active), std::move(error));
  }
  Drain();
}

void Run::OnDeadline() {
  Busy busy(*this);
  Fail(Error(ErrorCode::kDeadlineExceeded,
             "no answer within " + std::to_string(spec_.deadline->count()) + " ms"));
}

void Run::Succeed() {
  outputs_.clear();
  for (const NodeId output : spec_.graph->outputs) {
    outputs_.push_back(plan_.results[Index(output)]);
  }
  state_ = State::kStopping;
  deadline_timer_.Disarm();
  if (spec_.trace) [[unlikely]]
    recorder_.OnAnswer();
  listener_.OnAnswer(*this, std::span<const RowSet>(outputs_));
  // What only bodies asked for that did not wait for it to the end.
  Reap();
}

void Run::Fail(Error error) {
  state_ = State::kStopping;
  deadline_timer_.Disarm();
  if (spec_.trace) [[unlikely]]
    recorder_.OnAnswer();
  // The answer first: stopping may take as long as what is stopped.
  listener_.OnAnswer(*this, std::unexpected(std::move(error)));
  plan_.ready.Clear();
  deferred_regions_.clear();
  BeginReaping();
}

void Run::LeaveBusy() {
  if (busy_ == 1) {
    while (!deferred_.empty()) {
      ActiveNode& active = *deferred_.front();
      deferred_.erase(deferred_.begin());
      if (IsWanted(active)) {
        TakeResult(active, active.TakeKept());
        Drain();
      } else {
        active_.Release(active);
      }
    }
  }
  if (--busy_ > 0 || state_ != State::kStopping || !active_.empty() || continuing_) return;
  if (!remains_.empty() || reaper_posted_) return;
  state_ = State::kIdle;
  for (; queue_head_ < queue_.size(); ++queue_head_) {
    Activation& activation = *queue_[queue_head_];
    activation.queued = false;
    if (std::exchange(activation.ended, false)) activations_.Recycle(activation);
  }
  queue_.clear();
  queue_head_ = 0;
  plan_.Clear();
  outputs_.clear();
  spec_ = RunSpec();
  listener_.OnIdle(*this);
}

}  // namespace rankd
