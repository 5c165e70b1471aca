#include "engine/run/trace.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace rankd {
namespace {

constexpr std::size_t kCommandsShown = 8;
constexpr std::size_t kArgumentShown = 64;  ///< Bytes.

std::string CommandsText(const CommandBatch& commands) {
  std::string text;
  for (std::size_t i = 0; i < std::min(commands.size(), kCommandsShown); ++i) {
    if (i > 0) text += ", ";
    text += VerbName(commands.verb(i));
    text += ' ';
    text += commands.key(i).substr(0, kArgumentShown);
  }
  if (commands.size() > kCommandsShown) text += ", …";
  return text;
}

}  // namespace

std::string_view RanOnName(RanOn ran_on) { return ran_on == RanOn::kLoop ? "loop" : "pool"; }

void TraceRecorder::Begin(std::shared_ptr<const Graph> graph, TimePoint start) {
  trace_.graph = std::move(graph);
  trace_.start = start;
  trace_.answered = trace_.start;
  trace_.nodes.clear();
  trace_.pipelines.clear();
  trace_.pool_slices.clear();
  answered_ = false;
  ready_at_.assign(trace_.graph->nodes.size(), TimePoint());
  span_of_.assign(trace_.graph->nodes.size(), 0);
  open_.clear();
  open_slot_.clear();
  open_pipelines_.clear();
}

void TraceRecorder::OnReady(std::span<const NodeId> nodes) {
  if (nodes.empty()) return;
  const TimePoint now = clock_.Now();
  for (const NodeId node : nodes) ready_at_[Index(node)] = now;
}

void TraceRecorder::OnStart(NodeId node, RanOn ran_on, std::uint64_t rows_in) {
  NodeSpan span;
  span.node = node;
  span.ran_on = ran_on;
  span.ready = ready_at_[Index(node)];
  span.start = clock_.Now();
  span.rows_in = rows_in;
  const auto index = static_cast<std::uint32_t>(trace_.nodes.size());
  trace_.nodes.push_back(span);
  span_of_[Index(node)] = index + 1;
  open_slot_.push_back(static_cast<std::uint32_t>(open_.size()));
  open_.push_back(index);
}

NodeSpan* TraceRecorder::FindSpan(NodeId node) {
  const std::uint32_t number = span_of_[Index(node)];
  return number == 0 ? nullptr : &trace_.nodes[number - 1];
}

void TraceRecorder::OnFinish(NodeId node, std::uint64_t rows_out) {
  NodeSpan* span = FindSpan(node);
  RANKD_CHECK(span != nullptr);
  span->end = clock_.Now();
  span->outcome = NodeEnd::kFinished;
  span->rows_out = rows_out;
  const std::uint32_t slot = open_slot_[span_of_[Index(node)] - 1];
  open_[slot] = open_.back();
  open_slot_[open_[slot]] = slot;
  open_.pop_back();
}

void TraceRecorder::OnRetry(NodeId node) { ++FindSpan(node)->attempts; }

void TraceRecorder::OnRecover(NodeId node) { FindSpan(node)->recovered = true; }

void TraceRecorder::OnPoolWork(const PoolSlice& slice) {
  trace_.pool_slices.push_back(slice);
  if (answered_) return;
  NodeSpan* span = FindSpan(slice.node);
  RANKD_CHECK(span != nullptr);
  // Of a later attempt, or of one that is not waited for any more.
  if (span->attempts > 1 || span->outcome != NodeEnd::kStopped) return;
  span->start = slice.start;
  span->pool_thread = slice.pool_thread;
}

std::size_t TraceRecorder::OnSubmit(NodeId node, std::string_view endpoint,
                                    const CommandBatch& commands) {
  PipelineSpan span;
  span.node_span = span_of_[Index(node)] - 1;
  span.endpoint = endpoint;
  span.commands = CommandsText(commands);
  span.command_count = commands.size();
  span.bytes_sent = WireBytes(commands);
  span.start = clock_.Now();
  trace_.pipelines.push_back(std::move(span));
  open_pipelines_.push_back(trace_.pipelines.size() - 1);
  return trace_.pipelines.size() - 1;
}

void TraceRecorder::OnReplies(std::size_t pipeline, const Result<Replies>& replies) {
  if (answered_) return;
  PipelineSpan& span = trace_.pipelines[pipeline];
  span.end = clock_.Now();
  span.answered = replies.has_value();
  if (replies) span.bytes_received = WireBytes(*replies);
  std::erase(open_pipelines_, pipeline);
}

void TraceRecorder::OnAnswer(const NodeId* failed) {
  trace_.answered = clock_.Now();
  answered_ = true;
  for (const std::uint32_t index : open_) trace_.nodes[index].end = trace_.answered;
  open_.clear();
  for (const std::size_t pipeline : open_pipelines_) {
    trace_.pipelines[pipeline].end = trace_.answered;
  }
  open_pipelines_.clear();
  if (failed == nullptr) return;
  if (NodeSpan* span = FindSpan(*failed)) span->outcome = NodeEnd::kFailed;
}

std::vector<NodeId> CriticalPath(const RunTrace& trace) {
  const std::vector<GraphNode>& nodes = trace.graph->nodes;
  struct Step {
    Duration total{-1};  ///< Of the best way that ends here; negative: did not run.
    std::uint32_t previous = 0;
    bool has_previous = false;
  };
  std::vector<Step> steps(nodes.size());
  for (const NodeSpan& span : trace.nodes) steps[Index(span.node)].total = span.end - span.ready;

  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {  // inputs come before their nodes
    Step& step = steps[i];
    if (step.total < Duration::zero()) continue;
    for (const NodeId input : nodes[i].inputs) {
      const Step& before = steps[Index(input)];
      if (before.total < Duration::zero()) continue;
      if (!step.has_previous || before.total > steps[step.previous].total) {
        step.previous = static_cast<std::uint32_t>(Index(input));
        step.has_previous = true;
      }
    }
    if (step.has_previous) step.total += steps[step.previous].total;
    if (step.total >= steps[last].total) last = i;
  }

  std::vector<NodeId> path;
  if (steps.empty() || steps[last].total < Duration::zero()) return path;
  for (path.push_back(NodeId{last}); steps[last].has_previous;) {
    last = steps[last].previous;
    path.push_back(NodeId{last});
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace rankd
