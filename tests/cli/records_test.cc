#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "cli/log_line.h"
#include "cli/side_file.h"
#include "cli/trace_writer.h"
#include "engine/base/json.h"
#include "engine/io/uv_loop.h"
#include "tests/support/temp_dir.h"

namespace rankd {
namespace {

using std::chrono::microseconds;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// A file whose failure is kept, and which stops the loop when all is written.
struct Written {
  explicit Written(SideFile::Options options) {
    options.on_failure = [this](std::string_view reason) { failure = reason; };
    options.on_written = [this] {
      if (file->finished()) loop.Stop();
    };
    Result<std::unique_ptr<SideFile>> opened = SideFile::Open(std::move(options), loop);
    REQUIRE(opened);
    file = *std::move(opened);
  }
  void Finish() {
    file->Close();
    if (!file->finished()) loop.Run();
  }

  UvLoop loop;
  std::unique_ptr<SideFile> file;
  std::string failure;
};

SideFile::Options Options(std::string path, bool append = false) {
  SideFile::Options options;
  options.path = std::move(path);
  options.append = append;
  return options;
}

TEST_CASE("a side file holds what was committed, then its closing") {
  const TempDir folder;
  SideFile::Options options = Options(folder.File("out"));
  options.closing = "end\n";
  Write(options.path, "what was there before\n");
  Written written(std::move(options));
  std::string want;
  for (int i = 0; i < 50'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    want += line;
    written.file->Append(line);
  }
  written.Finish();
  CHECK(ReadFile(folder.File("out")) == want + "end\n");
  CHECK(written.failure == "");
}

TEST_CASE("a side file that appends keeps what there was") {
  const TempDir folder;
  Write(folder.File("out"), "before\n");
  Written written(Options(folder.File("out"), true));
  written.file->Append("after\n");
  written.Finish();
  CHECK(ReadFile(folder.File("out")) == "before\nafter\n");
}

TEST_CASE("a side file that cannot be written says so once and takes no more") {
  Written written(Options("/dev/full"));
  for (int i = 0; i < 3; ++i) {
    written.file->Append(std::string(100'000, 'x') + "\n");
  }
  written.Finish();
  CHECK(written.failure == "No space left on device");
  CHECK(written.file->failed());
}

TEST_CASE("a side file that cannot be opened says why") {
  UvLoop loop;
  const auto file = SideFile::Open(Options("/nowhere/at/all"), loop);
  REQUIRE_FALSE(file);
  CHECK(file.error().message == "No such file or directory");
}

TEST_CASE("a side file is behind while much waits to be written") {
  const TempDir folder;
  Written written(Options(folder.File("out")));
  written.file->Append(std::string(100'000, 'x'));
  CHECK_FALSE(written.file->behind());
  written.file->Append(std::string(9 << 20, 'x'));
  CHECK(written.file->behind());
  written.Finish();
  CHECK_FALSE(written.file->behind());
}

TEST_CASE("a side file holds the records of several threads whole, those of one in their order") {
  constexpr int kThreads = 4;
  constexpr int kRecords = 20'000;
  const TempDir folder;
  Written written(Options(folder.File("out")));
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&written, thread] {
        for (int i = 0; i < kRecords; ++i) {
          written.file->Append(std::to_string(thread) + " " + std::to_string(i) + "\n");
        }
      });
    }
  }
  written.Finish();
  std::istringstream lines(ReadFile(folder.File("out")));
  std::vector<int> next(kThreads);
  std::size_t thread = 0;
  int number = 0;
  bool in_order = true;
  while (lines >> thread >> number) in_order = in_order && next.at(thread)++ == number;
  CHECK(lines.eof());
  CHECK(in_order);
  CHECK(next == std::vector<int>(kThreads, kRecords));
}

TEST_CASE("a log has one line of JSON for each request") {
  std::string log;
  LogEntry entry;
  entry.request_id = R"("a\n")";
  entry.plan = "p";
  entry.latency = microseconds(1234);
  entry.rows = 3;
  entry.kv = {5, 60, 70};
  AppendLogLine(log, entry);
  LogEntry refused;
  refused.request_id = "7";
  refused.failure = ErrorCode::kInvalidJson;
  AppendLogLine(log, refused);
  CHECK(log ==
        "{\"request_id\":\"a\\n\",\"plan\":\"p\",\"status\":\"ok\",\"code\":null,"
        "\"latency_us\":1234,\"rows\":3,\"redis_commands\":5,\"redis_bytes_sent\":60,"
        "\"redis_bytes_received\":70}\n"
        "{\"request_id\":7,\"plan\":null,\"status\":\"error\",\"code\":\"invalid_json\","
        "\"latency_us\":0,\"rows\":0,\"redis_commands\":0,\"redis_bytes_sent\":0,"
        "\"redis_bytes_received\":0}\n");
}

/// A trace of three nodes, of which two overlap; the first asked a store.
RunTrace SampleTrace() {
  auto graph = std::make_shared<Graph>();
  graph->name = "sample";
  graph->nodes.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    graph->nodes[i].id = "n" + std::to_string(i);
    graph->nodes[i].op = "op";
  }
  RunTrace trace;
  trace.graph = graph;
  trace.activations.push_back({graph.get()});
  trace.start = TimePoint(microseconds(1000));
  const auto add = [&](std::uint32_t node, int start, int end) {
    NodeSpan span;
    span.node = NodeId{node};
    span.outcome = NodeEnd::kFinished;
    span.ready = span.start = trace.start + microseconds(start);
    span.end = trace.start + microseconds(end);
    trace.nodes.push_back(span);
  };
  add(0, 0, 10);
  add(1, 5, 20);
  add(2, 10, 30);
  trace.answered = trace.start + microseconds(30);
  PipelineSpan pipeline;
  pipeline.endpoint = "store";
  pipeline.commands = "HGETALL a\xff\"";
  pipeline.command_count = 1;
  pipeline.start = trace.start + microseconds(1);
  pipeline.end = trace.start + microseconds(9);
  trace.pipelines.push_back(pipeline);
  trace.pool_slices.push_back(
      {&graph->nodes[2], 1, trace.start + microseconds(12), trace.start + microseconds(29)});
  return trace;
}

/// The events of a trace file; it must be one JSON array.
struct Events {
  explicit Events(const std::string& text) : document(Parse(text)) {}
  static JsonDocument Parse(const std::string& text) {
    Result<JsonDocument> document = ParseJson(text);
    REQUIRE(document);
    return *std::move(document);
  }
  /// "b n0", … of the spans with that async id, in the file's order.
  std::vector<std::string> Async(std::string_view id) const {
    std::vector<std::string> spans;
    for (const Json& event : document.root().items()) {
      const Json* event_id = event.Find("id");
      if (event_id == nullptr || event_id->AsString() != id) continue;
      spans.push_back(std::string(*event.Find("ph")->AsString()) + " " +
                      std::string(*event.Find("name")->AsString()));
    }
    return spans;
  }
  JsonDocument document;
};

TEST_CASE("in a trace spans of one id nest, and nodes side by side have ids of their own") {
  TraceContext context;
  context.start = TimePoint(microseconds(400));
  std::string text;
  AppendTraceHead(text, context);
  TraceWriter writer(context, 0);
  writer.Append(text, SampleTrace(), "\"a\"", std::nullopt);
  writer.Append(text, SampleTrace(), "2", ErrorCode::kNodeTimeout);
  text += kTraceEnd;

  const Events events(text);
  using Spans = std::vector<std::string>;
  CHECK(events.Async("0x0") == Spans{"b sample", "b n0", "b HGETALL a\uFFFD\"",
                                     "e HGETALL a\uFFFD\"", "e n0", "b n2", "e n2", "e sample"});
  CHECK(events.Async("0x1") == Spans{"b sample +1", "b n1", "e n1", "e sample +1"});
  CHECK(events.Async("0x100000").front() == "b sample");
  for (const Json& event : events.document.root().items()) {
    if (event.Find("name")->AsString() != "n2" || event.Find("ph")->AsString() != "X") continue;
    CHECK(event.Find("tid")->AsInt() == 102);
    CHECK(event.Find("ts")->AsNumber() == 612.0);
    CHECK(event.Find("dur")->AsNumber() == 17.0);
  }
}

TEST_CASE("writers of several loops share ids, tracks and the names of pool threads") {
  TraceContext context;
  context.loop_count = 2;
  std::string text;
  AppendTraceHead(text, context);
  TraceWriter first(context, 0);
  TraceWriter second(context, 1);
  second.Append(text, SampleTrace(), "1", std::nullopt);
  first.Append(text, SampleTrace(), "2", std::nullopt);
  text += kTraceEnd;

  const Events events(text);
  CHECK(events.Async("0x0").front() == "b sample");
  CHECK(events.Async("0x100000").front() == "b sample");
  std::vector<std::string> names;
  std::vector<std::int64_t> tracks;
  for (const Json& event : events.document.root().items()) {
    if (event.Find("ph")->AsString() == "M") {
      names.emplace_back(*event.Find("args")->Find("name")->AsString());
    } else if (event.Find("name")->AsString() == "n0" && event.Find("ph")->AsString() == "b") {
      tracks.push_back(*event.Find("tid")->AsInt());
    }
  }
  CHECK(names == std::vector<std::string>{"rankd", "loop 0", "loop 1", "pool 0", "pool 1"});
  CHECK(tracks == std::vector<std::int64_t>{2, 1});
}

TEST_CASE("a trace without requests is an array too") {
  std::string text;
  AppendTraceHead(text, TraceContext());
  text += kTraceEnd;
  const Events events(text);
  CHECK(events.document.root().items().size() == 2);
}

}  // namespace
}  // namespace rankd
