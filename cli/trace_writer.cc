#include "cli/trace_writer.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

constexpr std::uint32_t kFirstLoopThread = 1;
constexpr std::uint32_t kFirstPoolThread = 101;

/// Async ids: the request's number, and below it the lane of its nodes.
constexpr unsigned kLaneBits = 20;

std::string Hex(std::uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[number & 15]);
  while ((number >>= 4) != 0);
  return "0x" + text;
}

std::string_view OutcomeName(NodeEnd outcome) {
  switch (outcome) {
    case NodeEnd::kFinished:
      return "finished";
    case NodeEnd::kFailed:
      return "failed";
    case NodeEnd::kStopped:
      return "stopped";
  }
  return "";
}

/// One event of the array, appended member by member; complete when it goes.
class TraceEvent {
 public:
  TraceEvent(std::string& out, const TraceContext& context, std::string_view phase,
             std::string_view name, std::uint32_t thread)
      : out_(out), trace_start_(context.start) {
    out_ += ",\n{\"ph\":\"";
    out_.append(phase).append("\",\"name\":");
    AppendText(name);
    out_ += ",\"pid\":";
    AppendInt(out_, context.process_id);
    out_ += ",\"tid\":";
    AppendInt(out_, thread);
  }
  TraceEvent(const TraceEvent&) = delete;
  TraceEvent& operator=(const TraceEvent&) = delete;
  ~TraceEvent() { out_ += in_args_ ? "}}" : "}"; }

  TraceEvent& At(TimePoint time) { return Micros("ts", time - trace_start_); }
  TraceEvent& Lasting(Duration duration) { return Micros("dur", duration); }
  TraceEvent& Async(std::string_view category, std::uint64_t id) {
    out_.append(",\"cat\":\"").append(category).append("\",\"id\":\"").append(Hex(id)).append("\"");
    return *this;
  }
  TraceEvent& Arg(std::string_view name, std::string_view text) {
    BeginArg(name);
    AppendText(text);
    return *this;
  }
  TraceEvent& Arg(std::string_view name, std::uint64_t number) {
    BeginArg(name);
    AppendInt(out_, static_cast<std::int64_t>(number));
    return *this;
  }
  TraceEvent& JsonArg(std::string_view name, std::string_view json) {
    BeginArg(name);
    out_ += json;
    return *this;
  }

 private:
  TraceEvent& Micros(std::string_view name, Duration duration) {
    const std::int64_t nanoseconds = duration.count();
    out_.append(",\"").append(name).append("\":");
    AppendInt(out_, nanoseconds / 1000);
    const std::string thousandths = std::to_string(1000 + nanoseconds % 1000);
    out_.append(".").append(thousandths, 1);
    return *this;
  }
  void BeginArg(std::string_view name) {
    out_ += in_args_ ? ",\"" : ",\"args\":{\"";
    in_args_ = true;
    out_.append(name).append("\":");
  }
  void AppendText(std::string_view text) {
    if (IsValidUtf8(text)) {
      AppendJsonString(out_, text);
    } else {
      AppendJsonString(out_, ReplaceInvalidUtf8(text));
    }
  }

  std::string& out_;
  const TimePoint trace_start_;
  bool in_args_ = false;
};

}  // namespace

TraceWriter::TraceWriter(TraceContext& context, std::uint32_t loop)
    : context_(context), loop_thread_(kFirstLoopThread + loop) {}

void TraceWriter::Append(std::string& out, const RunTrace& trace, std::string_view request_id,
                         std::optional<ErrorCode> failure) {
  out_ = &out;
  WriteThreads(trace, request_id);
  WriteRequest(trace, request_id, failure);
}

void AppendTraceHead(std::string& out, const TraceContext& context) {
  out += "[";
  const std::size_t before = out.size();
  TraceEvent(out, context, "M", "process_name", kFirstLoopThread).Arg("name", "rankd");
  out.erase(before, 1);  // the first event has no comma before it
  for (std::uint32_t loop = 0; loop < context.loop_count; ++loop) {
    const std::string number = context.loop_count > 1 ? " " + std::to_string(loop) : "";
    TraceEvent(out, context, "M", "thread_name", kFirstLoopThread + loop)
        .Arg("name", "loop" + number);
  }
}

/// What the threads did: work inline on the loop, and jobs on the pool.
void TraceWriter::WriteThreads(const RunTrace& trace, std::string_view request_id) {
  const auto write = [&](const GraphNode& node, std::uint32_t thread, TimePoint start,
                         TimePoint end) {
    TraceEvent(*out_, context_, "X", node.id, thread)
        .At(start)
        .Lasting(end - start)
        .Arg("op", node.op)
        .JsonArg("request_id", request_id);
  };
  for (const NodeSpan& span : trace.nodes) {
    const GraphNode& node = trace.NodeOf(span);
    const bool is_inline = node.cpu_task != nullptr && span.ran_on == RanOn::kLoop;
    if (is_inline) write(node, loop_thread_, span.start, span.end);
  }
  for (const PoolSlice& slice : trace.pool_slices) {
    NamePoolThreads(slice.pool_thread);
    write(*slice.node, kFirstPoolThread + slice.pool_thread, slice.start, slice.end);
  }
}

/// Those that no loop has named yet.
void TraceWriter::NamePoolThreads(std::uint32_t last) {
  std::uint32_t thread = context_.pool_threads_named.load(std::memory_order_relaxed);
  while (thread <= last) {
    if (!context_.pool_threads_named.compare_exchange_weak(thread, thread + 1,
                                                           std::memory_order_relaxed)) {
      continue;
    }
    TraceEvent(*out_, context_, "M", "thread_name", kFirstPoolThread + thread)
        .Arg("name", "pool " + std::to_string(thread));
    ++thread;
  }
}

void TraceWriter::SortPipelines(const RunTrace& trace) {
  pipeline_order_.resize(trace.pipelines.size());
  std::iota(pipeline_order_.begin(), pipeline_order_.end(), 0U);
  std::ranges::stable_sort(pipeline_order_, {}, [&](std::uint32_t pipeline) {
    return trace.pipelines[pipeline].node_span;
  });
}

void TraceWriter::WriteRequest(const RunTrace& trace, std::string_view request_id,
                               std::optional<ErrorCode> failure) {
  SortPipelines(trace);
  const std::vector<TracePlace>& places = lanes_.Assign(trace);
  const auto first_aside = std::ranges::upper_bound(places, 0U, {}, &TracePlace::lane);

  const std::uint64_t id = context_.requests.fetch_add(1, std::memory_order_relaxed) << kLaneBits;
  const std::string& plan = trace.graph->name;
  TraceEvent(*out_, context_, "b", plan, loop_thread_)
      .At(trace.start)
      .Async("request", id)
      .JsonArg("request_id", request_id)
      .Arg("outcome", failure ? CodeName(*failure) : "ok");
  WriteLane(trace, {places.begin(), first_aside}, id);
  WriteEnd(plan, trace.answered, id);

  for (auto lane = first_aside; lane != places.end();) {
    const auto lane_end =
        std::ranges::upper_bound(lane, places.end(), lane->lane, {}, &TracePlace::lane);
    const std::string name = plan + " +" + std::to_string(lane->lane);
    TraceEvent(*out_, context_, "b", name, loop_thread_)
        .At(trace.nodes[lane->span].start)
        .Async("request", id + lane->lane)
        .JsonArg("request_id", request_id);
    WriteLane(trace, {lane, lane_end}, id + lane->lane);
    // The last of those that stand in nothing ends last.
    TimePoint end{};
    for (auto place = lane; place != lane_end; ++place) {
      end = std::max(end, trace.nodes[place->span].end);
    }
    WriteEnd(name, end, id + lane->lane);
    lane = lane_end;
  }
}

void TraceWriter::WriteLane(const RunTrace& trace, std::span<const TracePlace> places,
                            std::uint64_t async_id) {
  const auto close_to = [&](std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) {
      const NodeSpan& node = trace.nodes[open_.back()];
      WriteEnd(trace.NodeOf(node).id, node.end, async_id);
    }
  };
  for (const TracePlace place : places) {
    close_to(place.depth);
    WriteBegin(trace, place.span, async_id);
    open_.push_back(place.span);
  }
  close_to(0);
}

/// The node and its pipelines, but for its end.
void TraceWriter::WriteBegin(const RunTrace& trace, std::uint32_t span, std::uint64_t async_id) {
  const NodeSpan& node_span = trace.nodes[span];
  const GraphNode& node = trace.NodeOf(node_span);
  {
    TraceEvent begin(*out_, context_, "b", node.id, loop_thread_);
    begin.At(node_span.start).Async("request", async_id).Arg("op", node.op);
    if (!node.trace.empty()) begin.Arg("trace", node.trace);
    if (node_span.activation != 0) begin.Arg("activation", trace.PlaceOf(node_span));
    const auto waited =
        std::chrono::duration_cast<std::chrono::microseconds>(node_span.start - node_span.ready);
    begin.Arg("waited_us", static_cast<std::uint64_t>(waited.count()))
        .Arg("ran_on", RanOnName(node_span.ran_on))
        .Arg("rows_in", node_span.rows_in)
        .Arg("rows_out", node_span.rows_out)
        .Arg("outcome", OutcomeName(node_span.outcome));
  }
  const auto pipelines = std::ranges::equal_range(
      pipeline_order_, span, {},
      [&](std::uint32_t pipeline) { return trace.pipelines[pipeline].node_span; });
  for (const std::uint32_t pipeline : pipelines) {
    WritePipeline(trace.pipelines[pipeline], node_span.end, async_id);
  }
}

void TraceWriter::WriteEnd(std::string_view name, TimePoint end, std::uint64_t async_id) {
  TraceEvent(*out_, context_, "e", name, loop_thread_).At(end).Async("request", async_id);
}

/// A node awaits one pipeline after the other, so they nest in it; one that nobody waits for any
/// more ends with its node.
void TraceWriter::WritePipeline(const PipelineSpan& pipeline, TimePoint node_end,
                                std::uint64_t async_id) {
  // "HGETALL user:1", "LRANGE media:6 + 11 more"
  std::string name = pipeline.commands.substr(0, pipeline.commands.find(", "));
  if (pipeline.command_count > 1) {
    name += " + " + std::to_string(pipeline.command_count - 1) + " more";
  }
  TraceEvent(*out_, context_, "b", name, loop_thread_)
      .At(pipeline.start)
      .Async("request", async_id)
      .Arg("endpoint", pipeline.endpoint)
      .Arg("commands", pipeline.commands)
      .Arg("count", pipeline.command_count)
      .Arg("bytes_sent", pipeline.bytes_sent)
      .Arg("bytes_received", pipeline.bytes_received)
      .JsonArg("answered", pipeline.answered ? "true" : "false");
  WriteEnd(name, std::min(pipeline.end, node_end), async_id);
}

}  // namespace rankd
