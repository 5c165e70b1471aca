// RunTrace: what a run did and when. Recorded by the run on its loop thread when its RunSpec asks
// for it, read by whoever writes traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  kFailed,   ///< It failed; what holds it failed with it, or went on without it.
  kStopped,  ///< It was under way when the run was answered, or what holds it ended.
};

/// Names a span or an activation that is not recorded.
inline constexpr std::uint32_t kNotTraced = std::numeric_limits<std::uint32_t>::max();

/// Nodes and activations of one run above this are left out of its trace, and counted.
inline constexpr std::size_t kMaxTraced = 200'000;

/// One node from ready to end. Of a node on the pool, `start` is when a thread took it.
struct NodeSpan {
  NodeId node{};
  std::uint32_t activation = 0;  ///< In RunTrace::activations.
  RanOn ran_on = RanOn::kLoop;
  NodeEnd outcome = NodeEnd::kStopped;
  std::uint32_t pool_thread = 0;
  TimePoint ready{};
  TimePoint start{};
  TimePoint end{};
  std::uint64_t rows_in = 0;
  std::uint64_t rows_out = 0;  ///< 0 unless finished.
  std::uint32_t attempts = 1;  ///< Executions; `start` is that of the first.
  std::uint64_t skipped = 0;   ///< Items of it that failed and were left out.
  bool recovered = false;      ///< It failed, and `on_error` gave its rows.
};

/// One run of a body; the first is the plan's own.
struct ActivationSpan {
  const Graph* graph = nullptr;          ///< Of RunTrace::graph, or in it.
  std::uint32_t node_span = kNotTraced;  ///< Of the node that holds the body; none for the plan.
  std::uint64_t number = 0;              ///< An item, an iteration: its node's own count.
  TimePoint start{};
  TimePoint end{};
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
  const GraphNode* node = nullptr;  ///< Of RunTrace::graph, or in it.
  std::uint32_t pool_thread = 0;
  TimePoint start{};
  TimePoint end{};
};

struct RunTrace {
  std::shared_ptr<const Graph> graph;
  TimePoint start{};
  TimePoint answered{};
  std::vector<NodeSpan> nodes;  ///< In the order of their starts on the loop.
  std::vector<ActivationSpan> activations;
  std::vector<PipelineSpan> pipelines;
  std::vector<PoolSlice> pool_slices;
  std::uint64_t left_out = 0;  ///< Nodes that ran beyond kMaxTraced.

  const GraphNode& NodeOf(const NodeSpan& span) const {
    return activations[span.activation].graph->nodes[Index(span.node)];
  }
  /// Which activation the span stands in: "loop[3]/branch[0]/"; empty in the plan itself.
  std::string PlaceOf(const NodeSpan& span) const;
};

/// Fills a RunTrace, one run after the other. Loop thread.
class TraceRecorder {
 public:
  /// What the recorder keeps with one activation while it lasts.
  struct Scope {
    std::uint32_t activation = kNotTraced;
    std::vector<TimePoint> ready_at;     ///< Per node.
    std::vector<std::uint32_t> span_of;  ///< Per node: in RunTrace::nodes, or kNotTraced.

    std::uint32_t SpanOf(NodeId node) const {
      return activation == kNotTraced ? kNotTraced : span_of[Index(node)];
    }
  };

  explicit TraceRecorder(const Clock& clock) : clock_(clock) {}

  const RunTrace& trace() const { return trace_; }
  /// Of a run that is over.
  RunTrace TakeTrace() { return std::move(trace_); }

  /// `plan`: the scope of the plan's own nodes.
  void Begin(std::shared_ptr<const Graph> graph, TimePoint start, Scope& plan);
  void OnActivate(Scope& scope, const Graph& graph, std::uint32_t node_span, std::uint64_t number);
  void OnActivationEnd(const Scope& scope);

  void OnReady(Scope& scope, std::span<const NodeId> nodes);
  void OnReady(Scope& scope, std::span<const NodeId> nodes, TimePoint at);
  /// Gives the span's number.
  std::uint32_t OnStart(Scope& scope, NodeId node, RanOn ran_on, std::uint64_t rows_in);
  void OnFinish(std::uint32_t span, std::uint64_t rows_out);
  void OnFinish(std::uint32_t span, std::uint64_t rows_out, TimePoint at);
  void OnFail(std::uint32_t span);
  /// What holds the node ended, and it with it.
  void OnStop(std::uint32_t span);
  /// The node failed and is tried again, at once or later.
  void OnRetry(std::uint32_t span);
  /// The node failed, and its `on_error` says what its rows are; before OnFinish.
  void OnRecover(std::uint32_t span);
  void OnSkip(std::uint32_t span, std::uint64_t items);
  /// A pool thread has done a node's work; before OnFinish, or after the node's end.
  void OnPoolWork(std::uint32_t span, const PoolSlice& slice);
  /// Gives the number for OnReplies.
  std::size_t OnSubmit(std::uint32_t span, std::string_view endpoint, const CommandBatch& commands);
  void OnReplies(std::size_t pipeline, const Result<Replies>& replies);
  /// The run is being answered: what has not ended ends now, as stopped.
  void OnAnswer();

 private:
  bool full() const { return trace_.nodes.size() + trace_.activations.size() >= kMaxTraced; }
  void Close(std::uint32_t span, NodeEnd outcome, TimePoint end);

  const Clock& clock_;
  RunTrace trace_;
  bool answered_ = false;
  std::vector<std::uint32_t> open_;       ///< Spans that have not ended; the order means nothing.
  std::vector<std::uint32_t> open_slot_;  ///< Per span: its index in open_, or kNotTraced.
  std::vector<std::size_t> open_pipelines_;
};

}  // namespace rankd
