// RunTrace: what a run did and when. Recorded by the run on its loop thread when its RunSpec asks
// for it, read by whoever writes traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/ids.h"
#include "engine/graph/graph.h"
#include "engine/kv/observer.h"

namespace rankd {

/// Where a node's work was done: a coroutine or inline work on the loop thread, a job on the pool.
enum class RanOn : std::uint8_t { kLoop, kPool };

/// "loop", "pool"
std::string_view RanOnName(RanOn ran_on);

enum class NodeEnd : std::uint8_t {
  kFinished,
  kFailed,   ///< It is what failed the run.
  kStopped,  ///< It was under way when the run was answered.
};

/// One node from ready to end. Of a node on the pool, `start` is when a thread took it.
struct NodeSpan {
  NodeId node{};
  RanOn ran_on = RanOn::kLoop;
  NodeEnd outcome = NodeEnd::kStopped;
  std::uint32_t pool_thread = 0;
  TimePoint ready{};
  TimePoint start{};
  TimePoint end{};
  std::uint64_t rows_in = 0;
  std::uint64_t rows_out = 0;  ///< 0 unless finished.
  std::uint32_t attempts = 1;  ///< Executions; `start` is that of the first.
  bool recovered = false;      ///< It failed, and `on_error` gave its rows.
};

/// One pipeline of a node.
struct PipelineSpan {
  std::size_t node_span = 0;  ///< In RunTrace::nodes.
  std::string endpoint;
  std::string commands;  ///< The first few as text, for people.
  std::size_t command_count = 0;
  std::uint64_t bytes_sent = 0;      ///< As RESP.
  std::uint64_t bytes_received = 0;  ///< As RESP; 0 where nothing came.
  bool answered = false;             ///< Replies came, errors among them or not.
  TimePoint start{};
  TimePoint end{};
};

/// What a pool thread did for a run, whether it was still wanted or not.
struct PoolSlice {
  NodeId node{};
  std::uint32_t pool_thread = 0;
  TimePoint start{};
  TimePoint end{};
};

struct RunTrace {
  std::shared_ptr<const Graph> graph;
  TimePoint start{};
  TimePoint answered{};
  std::vector<NodeSpan> nodes;  ///< In the order of their starts on the loop.
  std::vector<PipelineSpan> pipelines;
  std::vector<PoolSlice> pool_slices;
};

/// The most expensive way through the nodes that ran, a node's cost being end - ready: the nodes in
/// order. Of ends that tie the one furthest on is taken, of inputs that tie the first in the graph.
/// O(nodes + edges).
std::vector<NodeId> CriticalPath(const RunTrace& trace);

/// Fills a RunTrace, one run after the other. Loop thread.
class TraceRecorder {
 public:
  explicit TraceRecorder(const Clock& clock) : clock_(clock) {}

  const RunTrace& trace() const { return trace_; }

  void Begin(std::shared_ptr<const Graph> graph, TimePoint start);
  void OnReady(std::span<const NodeId> nodes);
  void OnStart(NodeId node, RanOn ran_on, std::uint64_t rows_in);
  void OnFinish(NodeId node, std::uint64_t rows_out);
  /// The node failed and is tried again, at once or later.
  void OnRetry(NodeId node);
  /// The node failed, and its `on_error` says what its rows are; before OnFinish.
  void OnRecover(NodeId node);
  /// A pool thread has done a node's work; before OnFinish, or after the answer.
  void OnPoolWork(const PoolSlice& slice);
  /// Gives the number for OnReplies.
  std::size_t OnSubmit(NodeId node, std::string_view endpoint, const CommandBatch& commands);
  void OnReplies(std::size_t pipeline, const Result<Replies>& replies);
  /// The run is being answered: what has not ended ends now, as stopped; `failed` is to blame, if
  /// any node is.
  void OnAnswer(const NodeId* failed);

 private:
  NodeSpan* FindSpan(NodeId node);

  const Clock& clock_;
  RunTrace trace_;
  bool answered_ = false;
  std::vector<TimePoint> ready_at_;       ///< Per node.
  std::vector<std::uint32_t> span_of_;    ///< Per node: 1 + index in trace_.nodes, 0 for none.
  std::vector<std::uint32_t> open_;       ///< Spans that have not ended; the order means nothing.
  std::vector<std::uint32_t> open_slot_;  ///< Per span: its index in open_.
  std::vector<std::size_t> open_pipelines_;
};

}  // namespace rankd
