// ActiveNode: a node that is waiting for something outside the run: a coroutine, or a pool job.
// Owned by its Run, recycled between nodes and requests.
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
#include "engine/run/trace.h"
#include "engine/task/task.h"

namespace rankd {

class Run;

/// Lives from the start of a node until its coroutine has ended or its job has come back, also when
/// the run has been answered long before. The pool thread touches the job's own parts only.
class ActiveNode final : public CoCompletion,
                         public PoolJob,
                         public LoopTask,
                         public Timer,
                         private KvObserver {
 public:
  explicit ActiveNode(Run& run) : run_(run) {}

  NodeId node() const { return node_; }

  // Filled by the run before Start….
  std::vector<RowSet> inputs;
  std::vector<BoundExpression> expressions;
  AsyncContext context;

  /// Starts the coroutine of `graph_node`. True when it has ended already: take the result.
  bool StartCoroutine(const GraphNode& graph_node, NodeId node);
  Result<RowSet> TakeCoroutineResult();
  /// Hands `graph_node`'s CPU work to `executor`; it comes back through `loop`.
  void StartJob(const GraphNode& graph_node, NodeId node, Executor& executor, Loop& loop);
  /// Of a job that has come back: when it ran, and where. Only when `timed` was set.
  const PoolSlice& pool_slice() const { return pool_slice_; }

  /// Before StartCoroutine: the run is told of the node's pipelines.
  void ObservePipelines() { context.kv_observer = this; }
  bool timed = false;  ///< Before StartJob: take the job's times.

  /// Waits until `due`, then tells the run: a pause between two attempts.
  void Pause(TimePoint due, Loop& loop);
  void set_node(NodeId node) { node_ = node; }
  std::int64_t attempt = 1;  ///< Which execution of the node this is.
  /// False once the run does not wait for it any more: its result is dropped.
  bool wanted = true;

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
  std::optional<Co<Result<RowSet>>> coroutine_;
  StopSource stop_source_;
  const CpuTask* cpu_task_ = nullptr;
  Loop* loop_ = nullptr;
  StopFlag stop_flag_;
  std::optional<Result<RowSet>> job_result_;
  PoolSlice pool_slice_;  ///< Written by the pool thread before its post.
  bool in_flight_ = false;
  bool pausing_ = false;  ///< The timer ends a pause, not an attempt.
  ActiveNode* previous_ = nullptr;
  ActiveNode* next_ = nullptr;
};

/// Runs CPU work on the calling thread; what it throws becomes an error.
Result<RowSet> RunCpuTask(const CpuTask& task, const NodeContext& context);

/// The active nodes of one run: those in flight, and spare ones.
class ActiveNodes {
 public:
  explicit ActiveNodes(Run& run) : run_(run) {}
  ActiveNodes(const ActiveNodes&) = delete;
  ActiveNodes& operator=(const ActiveNodes&) = delete;

  bool empty() const { return head_ == nullptr; }
  /// In flight from now on.
  ActiveNode& Acquire();
  /// Not in flight any more; back to the spare ones.
  void Release(ActiveNode& active);
  /// Stops every one in flight; each may end, and be released, from within.
  void StopAll();

 private:
  Run& run_;
  ActiveNode* head_ = nullptr;
  std::vector<std::unique_ptr<ActiveNode>> all_;
  std::vector<ActiveNode*> spare_;
  std::vector<ActiveNode*> stopping_;  ///< Scratch of StopAll.
};

}  // namespace rankd
