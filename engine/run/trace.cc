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

std::string RunTrace::PlaceOf(const NodeSpan& span) const {
  std::vector<std::string> steps;
  for (const ActivationSpan* at = &activations[span.activation]; at->node_span != kNotTraced;) {
    const NodeSpan& holder = nodes[at->node_span];
    steps.push_back(NodeOf(holder).id + "[" + std::to_string(at->number) + "]/");
    at = &activations[holder.activation];
  }
  std::string place;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) place += *step;
  return place;
}

void TraceRecorder::Begin(std::shared_ptr<const Graph> graph, TimePoint start, Scope& plan) {
  trace_.graph = std::move(graph);
  trace_.start = start;
  trace_.answered = trace_.start;
  trace_.nodes.clear();
  trace_.activations.clear();
  trace_.pipelines.clear();
  trace_.pool_slices.clear();
  trace_.left_out = 0;
  answered_ = false;
  open_.clear();
  open_slot_.clear();
  open_pipelines_.clear();
  OnActivate(plan, *trace_.graph, kNotTraced, 0);
}

void TraceRecorder::OnActivate(Scope& scope, const Graph& graph, std::uint32_t node_span,
                               std::uint64_t number) {
  const bool is_body = !trace_.activations.empty();
  if ((is_body && full()) || (is_body && node_span == kNotTraced)) {
    scope.activation = kNotTraced;
    return;
  }
  scope.activation = static_cast<std::uint32_t>(trace_.activations.size());
  scope.ready_at.assign(graph.topology.node_count(), TimePoint());
  scope.span_of.assign(graph.topology.node_count(), kNotTraced);
  trace_.activations.push_back({&graph, node_span, number, clock_.Now(), kNever});
}

void TraceRecorder::OnActivationEnd(const Scope& scope) {
  if (scope.activation == kNotTraced || answered_) return;
  trace_.activations[scope.activation].end = clock_.Now();
}

void TraceRecorder::OnReady(Scope& scope, std::span<const NodeId> nodes) {
  if (nodes.empty() || scope.activation == kNotTraced) return;
  OnReady(scope, nodes, clock_.Now());
}

void TraceRecorder::OnReady(Scope& scope, std::span<const NodeId> nodes, TimePoint at) {
  if (scope.activation == kNotTraced) return;
  for (const NodeId node : nodes) scope.ready_at[Index(node)] = at;
}

std::uint32_t TraceRecorder::OnStart(Scope& scope, NodeId node, RanOn ran_on,
                                     std::uint64_t rows_in) {
  // The plan's own nodes have their place whatever its bodies did.
  if (scope.activation == kNotTraced || (scope.activation > 0 && full())) {
    ++trace_.left_out;
    return kNotTraced;
  }
  NodeSpan span;
  span.node = node;
  span.activation = scope.activation;
  span.ran_on = ran_on;
  span.ready = scope.ready_at[Index(node)];
  span.start = clock_.Now();
  span.rows_in = rows_in;
  const auto index = static_cast<std::uint32_t>(trace_.nodes.size());
  trace_.nodes.push_back(span);
  scope.span_of[Index(node)] = index;
  open_slot_.push_back(static_cast<std::uint32_t>(open_.size()));
  open_.push_back(index);
  return index;
}

void TraceRecorder::Close(std::uint32_t span, NodeEnd outcome, TimePoint end) {
  if (span == kNotTraced || open_slot_[span] == kNotTraced) return;
  trace_.nodes[span].end = end;
  trace_.nodes[span].outcome = outcome;
  const std::uint32_t slot = open_slot_[span];
  open_[slot] = open_.back();
  open_slot_[open_[slot]] = slot;
  open_slot_[span] = kNotTraced;
  open_.pop_back();
}

void TraceRecorder::OnFinish(std::uint32_t span, std::uint64_t rows_out) {
  OnFinish(span, rows_out, clock_.Now());
}

void TraceRecorder::OnFinish(std::uint32_t span, std::uint64_t rows_out, TimePoint at) {
  Close(span, NodeEnd::kFinished, at);
  if (span != kNotTraced) trace_.nodes[span].rows_out = rows_out;
}

void TraceRecorder::OnFail(std::uint32_t span) { Close(span, NodeEnd::kFailed, clock_.Now()); }

void TraceRecorder::OnStop(std::uint32_t span) {
  if (!answered_) Close(span, NodeEnd::kStopped, clock_.Now());
}

void TraceRecorder::OnRetry(std::uint32_t span) {
  if (span != kNotTraced) ++trace_.nodes[span].attempts;
}

void TraceRecorder::OnRecover(std::uint32_t span) {
  if (span != kNotTraced) trace_.nodes[span].recovered = true;
}

void TraceRecorder::OnSkip(std::uint32_t span, std::uint64_t items) {
  if (span != kNotTraced) trace_.nodes[span].skipped += items;
}

void TraceRecorder::OnPoolWork(std::uint32_t span, const PoolSlice& slice) {
  trace_.pool_slices.push_back(slice);
  if (span == kNotTraced || open_slot_[span] == kNotTraced) return;
  NodeSpan& node = trace_.nodes[span];
  if (node.attempts > 1) return;  // Of a later attempt, or of one not waited for any more.
  node.start = slice.start;
  node.pool_thread = slice.pool_thread;
}

std::size_t TraceRecorder::OnSubmit(std::uint32_t span, std::string_view endpoint,
                                    const CommandBatch& commands) {
  if (span == kNotTraced || answered_) return kNotTraced;
  PipelineSpan pipeline;
  pipeline.node_span = span;
  pipeline.endpoint = endpoint;
  pipeline.commands = CommandsText(commands);
  pipeline.command_count = commands.size();
  pipeline.bytes_sent = commands.RespBytes();
  pipeline.start = clock_.Now();
  trace_.pipelines.push_back(std::move(pipeline));
  open_pipelines_.push_back(trace_.pipelines.size() - 1);
  return trace_.pipelines.size() - 1;
}

void TraceRecorder::OnReplies(std::size_t pipeline, const Result<Replies>& replies) {
  if (answered_ || pipeline == kNotTraced) return;
  PipelineSpan& span = trace_.pipelines[pipeline];
  span.end = clock_.Now();
  span.answered = replies.has_value();
  if (replies) span.bytes_received = WireBytes(*replies);
  std::erase(open_pipelines_, pipeline);
}

void TraceRecorder::OnAnswer() {
  trace_.answered = clock_.Now();
  while (!open_.empty()) Close(open_.back(), NodeEnd::kStopped, trace_.answered);
  answered_ = true;
  for (const std::size_t pipeline : open_pipelines_) {
    trace_.pipelines[pipeline].end = trace_.answered;
  }
  open_pipelines_.clear();
  for (ActivationSpan& activation : trace_.activations) {
    if (activation.end == kNever) activation.end = trace_.answered;
  }
}

}  // namespace rankd
