// ActiveNode: a node that is under way: a coroutine, a pool job, a pause between two attempts, or a
// region whose bodies run. Owned by its Run, recycled between nodes and requests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/stop.h"
#include "engine/coro/co.h"
#include "engine/graph/graph.h"
#include "engine/io/executor.h"
#include "engine/io/loop.h"
#include "engine/kv/observer.h"
#include "engine/run/activation.h"
#include "engine/run/chain_job.h"
#include "engine/run/region_node.h"
#include "engine/run/trace.h"
#include "engine/task/task.h"

namespace rankd {

class Run;

/// Lives from the start of a node until its coroutine has ended or its job has come back, also when
/// its activation has ended, or the run has been answered, long before: then it is not `wanted`.
/// The pool thread touches the job's own parts only.
class ActiveNode final : public CoCompletion,
                         public PoolJob,
                         public LoopTask,
                         public Timer,
                         private KvObserver {
 public:
  explicit ActiveNode(Run& run) : region(run, *this), chain(*this), run_(run) {}

  NodeId node() const { return node_; }
  /// Nullptr once it is not wanted any more.
  Activation* activation() const { return activation_; }
  const GraphNode& graph_node() const { return *graph_node_; }

  // Filled by the run before Start….
  std::vector<RowSet> inputs;  ///< The loop's; a job gets others (job_inputs_).
  AsyncContext context;

  RegionNode region;
  ChainJob chain;  ///< Of a job that goes on with the nodes that follow.

  /// Binds the node's expressions, for the context.
  [[nodiscard]] Result<void> Bind(const EvalEnv& env);

  /// Starts the node's coroutine. True when it has ended already: take the result.
  bool StartCoroutine();
  Result<RowSet> TakeCoroutineResult();
  /// Hands the node's CPU work to `executor`; it comes back through `loop`.
  void StartJob(Executor& executor, Loop& loop);
  /// Hands work of the node's region to `executor`; it comes back like a job, without rows.
  void StartWork(RegionWork& work, Executor& executor, Loop& loop);
  /// A job has come to a later node of its chain.
  void OnChainProgress();
  void MoveTo(NodeId node);
  /// Such work is on the pool, or has come back and not been taken.
  bool computing() const { return work_ != nullptr; }
  void EndWork() { work_ = nullptr; }
  /// Of a job that has come back: when it ran, and where; of a chain, its last node. Only when
  /// `timed` was set.
  const PoolSlice& pool_slice() const {
    return chain.empty() ? pool_slice_ : chain[chain.reached()].slice;
  }

  /// Before StartCoroutine: the run is told of the node's pipelines.
  void ObservePipelines() { context.kv_observer = this; }
  bool timed = false;  ///< Before StartJob: take the job's times.

  /// Waits until `due`, then tells the run: a pause between two attempts.
  void Pause(TimePoint due, Loop& loop);
  bool pausing() const { return pausing_; }
  /// Keeps the result of what has ended while the run was busy elsewhere.
  void Keep(Result<RowSet> result) { job_result_.emplace(std::move(result)); }
  Result<RowSet> TakeKept() { return *std::move(job_result_); }
  std::int64_t attempt = 1;         ///< Which execution of the node this is.
  std::uint32_t span = kNotTraced;  ///< Of the trace.
  /// Whether anyone waits for it; else its result is dropped.
  bool wanted() const { return activation_ != nullptr; }

  /// Tells whatever is in flight to stop. The end still comes, later or from within this call.
  void Stop();
  /// Drops what an attempt held, but its inputs; ready for the next attempt.
  void EndAttempt();
  /// Drops what the node held; ready for the next one.
  void Recycle();

 private:
  friend class ActiveNodes;

  void OnCoDone() override;
  void Execute(std::uint32_t thread) override;
  void OnLoop() override;
  void OnTimer() override;
  std::size_t OnSubmit(const KvClient& client, const CommandBatch& commands) override;
  void OnReplies(std::size_t pipeline, const Result<Replies>& replies) override;

  Run& run_;
  NodeId node_{};
  const GraphNode* graph_node_ = nullptr;
  Activation* activation_ = nullptr;
  std::optional<Co<Result<RowSet>>> coroutine_;
  StopSource stop_source_;
  Loop* loop_ = nullptr;
  RegionWork* work_ = nullptr;
  StopFlag stop_flag_;
  std::vector<BoundExpression> bound_;  ///< Where the graph holds none.
  std::vector<RowSet> job_inputs_;      ///< The pool thread's, until it has posted.
  std::optional<Result<RowSet>> job_result_;
  PoolSlice pool_slice_;            ///< Written by the pool thread before its post.
  bool pausing_ = false;            ///< The timer ends a pause, not an attempt.
  ActiveNode* previous_ = nullptr;  ///< Among those of its activation.
  ActiveNode* next_ = nullptr;
};

/// A node's expressions, bound to what a run gives them: those of the graph, where they are the
/// same for all runs, or in `room`. Loop thread.
[[nodiscard]] Result<std::span<const BoundExpression>> BindAll(const GraphNode& node,
                                                               const EvalEnv& env,
                                                               std::vector<BoundExpression>& room);

/// The active nodes of one run: those under way, and spare ones.
class ActiveNodes {
 public:
  explicit ActiveNodes(Run& run) : run_(run) {}
  ActiveNodes(const ActiveNodes&) = delete;
  ActiveNodes& operator=(const ActiveNodes&) = delete;

  /// Nothing is under way, wanted or not.
  bool empty() const { return under_way_ == 0; }
  /// Under way from now on, as one of `activation`'s.
  ActiveNode& Acquire(Activation& activation, NodeId node);
  /// Nobody waits for it any more; its end still comes.
  void Abandon(ActiveNode& active);
  /// Not under way any more; back to the spare ones.
  void Release(ActiveNode& active);

 private:
  Run& run_;
  std::size_t under_way_ = 0;
  std::vector<std::unique_ptr<ActiveNode>> all_;
  std::vector<ActiveNode*> spare_;
};

}  // namespace rankd
