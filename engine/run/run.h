// Run: one request on one graph. Starts ready nodes, enforces the deadline and node timeouts with
// timers, and answers once. Owned by the driver, lives on one loop thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "engine/base/cpu_mode.h"
#include "engine/base/result.h"
#include "engine/data/rowset.h"
#include "engine/graph/graph.h"
#include "engine/graph/scheduler.h"
#include "engine/io/executor.h"
#include "engine/io/loop.h"
#include "engine/io/member_calls.h"
#include "engine/kv/kv.h"
#include "engine/run/activation.h"
#include "engine/run/active_node.h"
#include "engine/run/trace.h"

namespace rankd {

/// What runs on one loop share. Referenced; outlives them.
struct RunServices {
  Loop* loop = nullptr;
  Executor* executor = nullptr;
  std::span<KvClient* const> clients;  ///< By EndpointId.
};

/// What one request asks of a run.
struct RunSpec {
  std::shared_ptr<const Graph> graph;
  ParamValues params;
  std::int64_t user_id = 0;  ///< Used only by graphs that need it.
  CpuMode cpu = CpuMode::kAuto;
  /// From the start of the run; nullopt: none.
  std::optional<std::chrono::milliseconds> deadline;
  /// For nodes without a timeout of their own; nullopt: none.
  std::optional<std::chrono::milliseconds> node_timeout;
  bool trace = false;     ///< Record Run::trace.
  bool count_kv = false;  ///< Count Run::kv_usage.
};

/// What a run asked of stores until it was answered.
struct KvUsage {
  std::uint64_t commands = 0;
  std::uint64_t bytes_sent = 0;      ///< As RESP, for a memory store too.
  std::uint64_t bytes_received = 0;  ///< The same, of the replies.
};

/// What a run did, as far as its plan implies it: equal whenever the same nodes ran.
struct RunCounts {
  std::uint64_t activations = 0;  ///< Of bodies.
  std::uint64_t starts = 0;       ///< Of nodes; attempts after the first are not counted.
  std::uint64_t completions = 0;  ///< Nodes that gave rows.
  std::uint64_t edges = 0;        ///< Visits, by completions of nodes and imports.
};

class Run;

class RunListener {
 public:
  /// Once per Start, as soon as the outcome is known, perhaps from within Start: `outputs` are the
  /// plan's outputs in order, or the first failure. Must not start or destroy the run.
  virtual void OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) = 0;
  /// Once per Start, after OnAnswer, when nothing that belongs to the run is in flight any more.
  /// The run may be started again or destroyed, from within this call too.
  virtual void OnIdle(Run& run) = 0;

 protected:
  ~RunListener() = default;
};

/// Reusable: after OnIdle it can be started again, on any graph, and keeps its memory.
class Run {
 public:
  Run(const RunServices& services, RunListener& listener);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  /// Must be idle.
  ~Run();

  /// Starts; the deadline counts from here. Must be idle.
  void Start(RunSpec spec);
  /// Answers `error` at once, unless answered already, and stops what is in flight.
  void Cancel(Error error);
  bool idle() const { return state_ == State::kIdle; }

  /// Of the latest Start, if it asked for them: complete from OnAnswer on, but for work of the pool
  /// that comes back later. Valid until the next Start.
  const RunTrace& trace() const { return recorder_.trace(); }
  /// The same, to keep. Only when idle.
  RunTrace TakeTrace();
  const KvUsage& kv_usage() const { return kv_usage_; }
  const RunCounts& counts() const { return counts_; }
  /// Of the latest Start.
  TimePoint start_time() const { return start_time_; }

 private:
  friend class ActiveNode;
  friend class RegionNode;
  enum class State : std::uint8_t { kIdle, kRunning, kStopping };

  /// A region to be called back, unless its epoch is another by then.
  struct DeferredRegion {
    ActiveNode* holder = nullptr;
    std::uint64_t epoch = 0;
  };

  /// Keeps the run from becoming idle under the feet of a caller further up the stack; the
  /// outermost one makes up for it.
  class Busy {
   public:
    explicit Busy(Run& run) : run_(run) { ++run_.busy_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    /// The run may be gone afterwards, unless something was thrown.
    ~Busy() {
      try {
        run_.LeaveBusy();
      } catch (...) {
        run_.ThrowLater(std::current_exception());
      }
    }

   private:
    Run& run_;
  };

  /// The loop has had its turn: work counts from here.
  void BeginTurn();
  /// Asks the clock, where the estimate says that it is time to.
  bool TurnIsOver();
  /// Starts what is ready until nothing is, or the turn has lasted long enough.
  void Drain();
  /// Starts what is ready in one of the activations.
  void RunReady(Activation& activation);
  /// The same for one that follows its graph's schedule.
  void RunScheduled(Activation& activation);
  /// All steps before `position` have ended.
  void Advance(Activation& activation, std::size_t position);
  /// The step at `position` has failed.
  void FailScheduled(Activation& activation, std::size_t position, Error error);
  /// A node that is more than plain CPU work.
  void StartOther(Activation& activation, NodeId id);
  void RunInline(Activation& activation, const NodeStep& step, NodeId id, NodeContext& context);
  /// Gives `context` the node's expressions, which last until the next call.
  [[nodiscard]] Result<void> BindInline(const Activation& activation, NodeId id,
                                        NodeContext& context);
  void StartActive(Activation& activation, const GraphNode& node, NodeId id);
  /// Gives `active` what a task sees, and arms the node's timeout.
  void Prepare(const GraphNode& node, ActiveNode& active);
  /// Moves the rows of `nodes` to `inputs`, or copies those that others still want.
  static void TakeInputs(Activation& activation, std::span<const NodeId> nodes,
                         std::vector<RowSet>& inputs);
  std::optional<std::chrono::milliseconds> TimeoutOf(const GraphNode& node) const;
  void NodeDone(Activation& activation, NodeId id, Result<RowSet>&& result);
  void Complete(Activation& activation, NodeId id, RowSet&& rows);
  void FailNode(Activation& activation, NodeId id, Error error);

  // Chains of CPU nodes as one job.
  void StartChain(ActiveNode& active);
  /// Makes up for what the job has done since it was last heard of: `active` becomes the node that
  /// runs, or ran last.
  void FollowChain(ActiveNode& active);
  void OnChainProgress(ActiveNode& active);

  // Nodes with `retry`, `on_error` or bodies; an ActiveNode holds their inputs from the first
  // attempt to the last, pauses included.
  void StartRecoverable(Activation& activation, const GraphNode& node, NodeId id);
  void StartAttempt(ActiveNode& active);
  /// Of an attempt that has ended, and is wanted.
  void AttemptDone(ActiveNode& active, Result<RowSet> result);
  void AttemptFailed(ActiveNode& active, Error error);
  /// True when the node is to be tried again, which has been arranged.
  bool Retry(const GraphNode& node, ActiveNode& active, ErrorCode code);
  void OnPauseOver(ActiveNode& active);

  // Bodies.
  void StartRegion(ActiveNode& active);
  /// What a region asks for.
  void StartBody(ActiveNode& holder, BodyStart start);
  void RegionDone(ActiveNode& holder, Result<RowSet> result);
  void OnItemSkipped(ActiveNode& holder);
  /// Runs a region's work here or on the pool.
  void Compute(ActiveNode& holder, RegionWork& work, double nanoseconds);
  /// Calls a region back once what is ready has been started.
  void Defer(ActiveNode& holder);
  void TakeUpDeferred();
  /// What the body names from outside, as far as it is there; asks for the rest.
  void FillImports(Activation& activation, RowSet in);
  /// Gives the import `id` the rows it stands for, now or once they are there.
  void Capture(Activation& activation, const rankd::Import& import, NodeId id);
  /// The nodes that `node` of `scope` needs, and itself, will run: a body wants its rows.
  void Demand(Activation& scope, NodeId node);
  /// Hands a captured node's rows to those who wait for them.
  void Deliver(Activation& scope, NodeId node);
  void Import(Activation& activation, NodeId import, RowSet rows);
  /// Has it looked at by Drain.
  void Queue(Activation& activation);
  /// Nothing of the activation is ready: it is over, or waits, or is at a dead end.
  void Settle(Activation& activation);
  void FinishBody(Activation& activation);
  void FailActivation(Activation& activation, Error error);

  // Endings.
  /// Whether it, or an activation it stands in, has been ended: nothing of it counts any more.
  static bool IsOver(const Activation& activation);
  /// Whether anyone waits for it.
  bool IsWanted(const ActiveNode& active) const;
  /// Of a body.
  void EndActivation(Activation& activation);
  /// Ends all bodies that run for `holder`.
  void CancelBodies(ActiveNode& holder);
  /// Stops some of what has ended or, the run being over, is still in flight; goes on in later
  /// turns.
  void Reap();
  /// The same, for a run that has failed: now where it is little, else from the next turn on.
  void BeginReaping();
  void ReapLater();
  void OnReap();
  void StopNode(ActiveNode& active);
  /// Has something large destroyed on the pool.
  void Dispose(std::unique_ptr<RegionState> state);
  /// Nothing of the activation is in flight any more: it may be used for another.
  void Retire(Activation& activation);
  /// Another ActiveNode in the place of one that is stopped, with the same inputs.
  ActiveNode& Supersede(ActiveNode& active);

  static Error DeadEnd(const Activation& activation);

  /// Of the nodes' pipelines, when the spec wants to know.
  std::size_t OnSubmit(std::uint32_t span, const KvClient& client, const CommandBatch& commands);
  void OnReplies(std::size_t pipeline, const Result<Replies>& replies);
  void OnActiveDone(ActiveNode& active, Result<RowSet> result);
  void TakeResult(ActiveNode& active, Result<RowSet> result);
  void OnNodeTimeout(ActiveNode& active);
  void OnDeadline();
  void OnContinue();
  /// For where nothing may be thrown: the loop's Run throws it, a turn later.
  void ThrowLater(std::exception_ptr thrown);
  void OnThrow();
  void Succeed();
  /// Answers, then stops everything in flight.
  void Fail(Error error);
  void LeaveBusy();

  RunServices services_;
  RunListener& listener_;
  RunSpec spec_;
  State state_ = State::kIdle;
  Activation plan_;                 ///< Of the plan's own nodes.
  Activations activations_;         ///< Of bodies.
  std::vector<Activation*> queue_;  ///< Those to be looked at, first come first served.
  std::size_t queue_head_ = 0;
  std::vector<ActiveNode*> deferred_;  ///< Ended while the run was busy elsewhere.
  std::deque<DeferredRegion> deferred_regions_;
  /// Activations that have ended with nodes in flight: heads of lists, linked by Activation::next.
  std::vector<Activation*> remains_;
  bool reaping_ = false;
  std::vector<RowSet> outputs_;
  double turn_cost_ = 0;  ///< Estimated nanoseconds of inline work since the last turn.
  double look_at_ = 0;    ///< The cost at which to look whether the turn is over.
  std::optional<TimePoint> turn_start_;  ///< When it was first looked at in this turn.
  bool continuing_ = false;
  std::uint32_t busy_ = 0;

  TimePoint start_time_{};
  TimePoint deadline_ = kNever;
  MemberTimer<Run, &Run::OnDeadline> deadline_timer_{*this};
  MemberTask<Run, &Run::OnContinue> continuation_{*this};  ///< With what is ready, a turn later.
  MemberTask<Run, &Run::OnReap> reaper_{*this};            ///< With stopping, a turn later.
  MemberTask<Run, &Run::OnThrow> thrower_{*this};
  std::exception_ptr thrown_;
  bool reaper_posted_ = false;

  ActiveNodes active_;
  // Scratch, kept for its memory.
  std::vector<BoundExpression> bound_;
  std::vector<NodeId> demanded_;
  RowSetDropper dropper_;

  std::optional<std::minstd_rand> random_;  ///< Of the jitter; seeded when first used.
  TraceRecorder recorder_;
  KvUsage kv_usage_;
  RunCounts counts_;
};

}  // namespace rankd
