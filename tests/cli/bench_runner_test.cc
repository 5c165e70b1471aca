#include "cli/bench/bench_runner.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/io/uv_loop.h"
#include "tests/cli/recording_console.h"
#include "tests/run/graph_fixture.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_loop.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Waits = std::vector<int>;  ///< Milliseconds; a negative one fails after so long.

/// Waits as scripted, one entry for each run, the last for all after it.
class ScriptedTask final : public AsyncTask {
 public:
  explicit ScriptedTask(Waits waits) : waits_(std::move(waits)) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    const int wait = waits_[std::min(next_++, waits_.size() - 1)];
    if (wait != 0) {
      DelayAwaiter delay(*context.loop, *context.stop_source, milliseconds(std::abs(wait)));
      const bool fired = co_await delay;
      if (!fired) co_return rankd::Fail(ErrorCode::kCancelled, "stopped");
    }
    if (wait < 0) co_return rankd::Fail(ErrorCode::kTaskFailed, "told to fail");
    co_return SumPlusOne(context.inputs);
  }

 private:
  Waits waits_;
  mutable std::size_t next_ = 0;
};

/// Written at the end of the turn, or when told.
class FakeSink final : public AnswerSink, LoopTask {
 public:
  explicit FakeSink(Loop& loop) : loop_(loop) {}

  std::string& buffer() override { return buffer_; }
  void Flush() override {
    written += buffer_;
    buffer_.clear();
    writing_ = true;
    if (!holds) loop_.Post(*this);
  }
  bool writing() const override { return writing_; }
  void OnLoop() override {
    writing_ = false;
    listener->OnWritten(0);
  }

  OutputListener* listener = nullptr;
  bool holds = false;  ///< Until OnLoop is called.
  std::string written;

 private:
  Loop& loop_;
  std::string buffer_;
  bool writing_ = false;
};

std::vector<BenchRequest> Texts(std::initializer_list<const char*> texts) {
  std::vector<BenchRequest> requests;
  std::uint64_t line = 0;
  for (const char* text : texts) requests.push_back({text, ++line});
  return requests;
}

struct BenchFixture {
  BenchFixture(const BenchLoad& load, Waits waits,
               std::vector<BenchRequest> texts = Texts({R"({"request_id":"a"})"}))
      : requests(std::move(texts)), supplies(load, 1) {
    std::vector<std::unique_ptr<const Task>> tasks;
    tasks.push_back(std::make_unique<ScriptedTask>(std::move(waits)));
    graph = MakeGraph({{}}, std::move(tasks));
    services.loop = &loop;
    services.executor = &executor;
    runner.emplace(load, supplies, requests, services, parser, RunDefaults(), records);
    sink.listener = &*runner;
  }
  void Start() {
    runner->Start(sink, [this] { ++done; });
  }
  /// To the end.
  const BenchTally& Finish() {
    Start();
    while (done == 0 && loop.AdvanceToNextTimer()) {
    }
    CHECK(done == 1);
    return runner->tally();
  }

  std::vector<BenchRequest> requests;
  BenchSupplies supplies;
  FakeLoop loop;
  InlineExecutor executor;
  RunServices services;
  std::shared_ptr<const Graph> graph;
  ParamValues defaults;
  RequestParser parser{RequestOptions(), [this](std::string_view) -> Result<PlanForRequest> {
                         return PlanForRequest{graph, &defaults};
                       }};
  RecordingConsole console;
  UvLoop files;
  std::unique_ptr<RecordFiles> record_files =
      RecordFiles::Open(RecordOptions(), files, 1, console.console);
  RequestRecords records{*record_files, loop, 0};
  FakeSink sink{loop};
  std::optional<BenchRunner> runner;
  int done = 0;
};

BenchLoad Closed(std::uint64_t iterations, std::size_t places = 1, std::uint64_t warmup = 0) {
  BenchLoad load;
  load.iterations = iterations;
  load.places = places;
  load.warmup = warmup;
  return load;
}

BenchLoad Open(std::uint64_t iterations, double rate, std::size_t places = 1000) {
  BenchLoad load = Closed(iterations, places);
  load.rate = rate;
  return load;
}

double Ms(nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

TEST_CASE("a closed loop keeps its places full") {
  BenchFixture fixture(Closed(12, 4), {10});
  const BenchTally& tally = fixture.Finish();
  CHECK(tally.iterations == 12);
  CHECK(tally.peak_in_flight == 4);
  CHECK(Ms(tally.elapsed) == 30);
  CHECK(Ms(tally.latencies.min()) == 10);
  CHECK(Ms(tally.latencies.max()) == 10);
  CHECK(tally.late == 0);
}

TEST_CASE("a closed loop of plans that answer at once ends") {
  BenchFixture fixture(Closed(10'000, 3, 100), {0});
  const BenchTally& tally = fixture.Finish();
  CHECK(tally.iterations == 10'000);
  CHECK(tally.latencies.count() == 10'000);
}

TEST_CASE("the warm-up does not count, also where it fails") {
  BenchFixture fixture(Closed(3, 1, 2), {-500, 70, 10});
  const BenchTally& tally = fixture.Finish();
  CHECK(tally.iterations == 3);
  CHECK(tally.failures.total() == 0);
  CHECK(Ms(tally.elapsed) == 30);
  CHECK(Ms(tally.latencies.max()) == 10);
}

TEST_CASE("failures are counted by code and are no latencies") {
  BenchFixture fixture(Closed(4), {10, -99, 20, -99});
  const BenchTally& tally = fixture.Finish();
  CHECK(tally.iterations == 4);
  CHECK(tally.failures.Summary(4) == "2 of 4 requests failed: task_failed 2");
  CHECK(tally.latencies.count() == 2);
  CHECK(Ms(tally.latencies.max()) == 20);
}

TEST_CASE("requests that do not parse are failures") {
  BenchFixture fixture(Closed(4, 2), {10}, Texts({R"({"request_id":"a"})", R"({"nope":1})"}));
  const BenchTally& tally = fixture.Finish();
  CHECK(tally.iterations == 4);
  CHECK(tally.failures.Summary(4) == "2 of 4 requests failed: invalid_request 2");
}

TEST_CASE("requests are cycled through, from the first again after the warm-up") {
  BenchFixture fixture(
      Closed(4, 1, 1), {0},
      Texts({R"({"request_id":"a"})", R"({"request_id":"b"})", R"({"request_id":3})"}));
  fixture.Finish();
  std::string got;
  for (std::size_t at = 0;
       (at = fixture.sink.written.find("\"request_id\":", at)) != std::string::npos; ++at) {
    const std::string rest = fixture.sink.written.substr(at + 13, 2);
    got += rest[0] == '"' ? rest[1] : rest[0];
  }
  CHECK(got == "aab3a");
}

TEST_CASE("a closed loop with one place hides a stall, an open loop shows it") {
  // Every request takes 1 ms, but the third 100.
  const Waits stall = {1, 1, 100, 1};
  BenchFixture closed(Closed(100), stall);
  const BenchTally& hidden = closed.Finish();
  CHECK(Ms(hidden.latencies.Quantile(0.9)) == doctest::Approx(1).epsilon(0.001));
  CHECK(hidden.late == 0);

  BenchFixture open(Open(100, 500, 1), stall);
  const BenchTally& shown = open.Finish();
  // Requests are due every 2 ms. The third, due at 4 ms, ends at 104; the fifty due until then go
  // one after the other, a millisecond each, and catch up.
  CHECK(Ms(shown.latencies.max()) == 100);
  CHECK(Ms(shown.latencies.Quantile(0.9)) > 80);
  CHECK(shown.late > 80);
  CHECK(shown.peak_in_flight == 1);
}

TEST_CASE("an open loop sends on schedule, whatever is in flight") {
  BenchFixture fixture(Open(50, 1000), {20});
  const BenchTally& tally = fixture.Finish();
  CHECK(Ms(tally.elapsed) == 49 + 20);
  CHECK(tally.peak_in_flight == 21);
  CHECK(Ms(tally.latencies.max()) == 20);
  CHECK(tally.late == 0);
}

TEST_CASE("an open loop sends several requests that are due in one turn") {
  BenchFixture fixture(Open(100, 1000), {0});
  fixture.Start();
  fixture.loop.Advance(milliseconds(0));
  CHECK(fixture.runner->progress().finished.load() == 1);
  fixture.loop.Advance(milliseconds(50));
  CHECK(fixture.runner->progress().finished.load() == 51);
}

TEST_CASE("an open loop counts latency from when a request was due, not from when it was sent") {
  BenchFixture fixture(Open(3, 1000, 1), {10});
  const BenchTally& tally = fixture.Finish();
  // Due at 0, 1, 2 ms; done at 10, 20, 30 ms.
  CHECK(Ms(tally.latencies.min()) == 10);
  CHECK(tally.latencies.mean() == doctest::Approx((10 + 19 + 28) / 3.0 * 1e6));
  CHECK(Ms(tally.latencies.max()) == 28);
  CHECK(tally.late == 2);
}

TEST_CASE("a place is free when the answer is written") {
  BenchFixture fixture(Closed(2), {0});
  fixture.sink.holds = true;
  fixture.Start();
  fixture.loop.Advance(milliseconds(30));
  CHECK(fixture.runner->progress().finished.load() == 0);
  fixture.sink.OnLoop();
  CHECK(Ms(fixture.runner->tally().latencies.max()) == 30);
}

TEST_CASE("a bench that is stopped keeps what was measured and counts nothing it cancelled") {
  BenchFixture fixture(Closed(100, 2), {10});
  fixture.Start();
  fixture.loop.Advance(milliseconds(35));
  fixture.runner->Stop(milliseconds(800));
  fixture.runner->Stop(milliseconds(800));
  fixture.loop.Turn();
  CHECK(fixture.done == 1);
  const BenchTally& tally = fixture.runner->tally();
  CHECK(tally.iterations == 6);
  CHECK(tally.failures.total() == 0);
  CHECK(Ms(tally.elapsed) == 35);
  CHECK_FALSE(fixture.runner->abandoned());
  CHECK(fixture.loop.armed_timers() == 0);
}

TEST_CASE("a bench that is stopped in its warm-up has measured nothing") {
  BenchFixture fixture(Closed(100, 2, 50), {10});
  fixture.Start();
  fixture.loop.Advance(milliseconds(35));
  fixture.runner->Stop(milliseconds(800));
  fixture.loop.Turn();
  CHECK(fixture.done == 1);
  CHECK(fixture.runner->tally().iterations == 0);
  CHECK(fixture.runner->tally().elapsed == nanoseconds(0));
}

TEST_CASE("a bench waits for what does not stop no longer than its grace") {
  BenchFixture fixture(Closed(100), {10});
  fixture.sink.holds = true;
  fixture.Start();
  fixture.loop.Advance(milliseconds(15));
  fixture.runner->Stop(milliseconds(800));
  fixture.loop.Advance(milliseconds(799));
  CHECK(fixture.done == 0);
  fixture.loop.Advance(milliseconds(1));
  CHECK(fixture.done == 1);
  CHECK(fixture.runner->abandoned());
}

TEST_CASE("a rate that no clock reaches waits") {
  BenchFixture fixture(Open(2, 1e-300), {0});
  fixture.Start();
  fixture.loop.Advance(std::chrono::hours(1000));
  CHECK(fixture.runner->progress().finished.load() == 1);
  fixture.runner->Stop(milliseconds(1));
  fixture.loop.Turn();
  CHECK(fixture.done == 1);
}

/// Another runner on the loop and of the load of a fixture.
struct SecondRunner {
  SecondRunner(BenchFixture& fixture, const BenchLoad& load)
      : sink(fixture.loop),
        runner(load, fixture.supplies, fixture.requests, fixture.services, fixture.parser,
               RunDefaults(), fixture.records) {
    sink.listener = &runner;
  }
  void Start() {
    runner.Start(sink, [this] { ++done; });
  }

  FakeSink sink;
  BenchRunner runner;
  int done = 0;
};

TEST_CASE("runners that share an open loop start each request when it is due") {
  const BenchLoad load = Open(20, 100);  // one every 10 ms
  BenchFixture fixture(load, {1});
  SecondRunner second(fixture, load);
  second.Start();
  BenchTally tally = fixture.Finish();
  while (second.done == 0 && fixture.loop.AdvanceToNextTimer()) {
  }
  CHECK(second.done == 1);
  CHECK(tally.iterations >= 9);
  CHECK(tally.iterations <= 11);
  tally.Add(second.runner.tally());
  CHECK(tally.iterations == 20);
  CHECK(Ms(tally.elapsed) == 191);
  CHECK(Ms(tally.latencies.max()) == 1);
}

TEST_CASE("a runner that is slow leaves requests to the others, in the warm-up too") {
  const BenchLoad load = Closed(100, 1, 40);
  BenchFixture fixture(load, {1});
  SecondRunner slow(fixture, load);
  slow.sink.holds = true;
  slow.Start();
  fixture.Start();
  while (fixture.done == 0 && fixture.loop.AdvanceToNextTimer()) {
  }
  // The slow one has some of the warm-up, and has not come to ask for more.
  CHECK(fixture.runner->progress().warmed_up.load() >= 20);
  CHECK(fixture.runner->tally().iterations == 100);
  slow.sink.holds = false;
  slow.sink.OnLoop();  // of the warm-up
  while (slow.done == 0 && fixture.loop.AdvanceToNextTimer()) {
  }
  CHECK(slow.done == 1);
  CHECK(slow.runner.tally().iterations == 0);
  CHECK(slow.runner.tally().elapsed == nanoseconds(0));
  CHECK(slow.runner.progress().warmed_up.load() + fixture.runner->progress().warmed_up.load() ==
        40);
}

TEST_CASE("what several runners measured counts from the first to the last of them") {
  const auto tally_of = [](std::uint64_t iterations, int began_ms, int lasted_ms) {
    BenchTally tally;
    tally.iterations = iterations;
    tally.late = 1;
    tally.peak_in_flight = 3;
    tally.failures.Add(ErrorCode::kNodeTimeout);
    tally.began = TimePoint(std::chrono::milliseconds(began_ms));
    tally.elapsed = std::chrono::milliseconds(lasted_ms);
    return tally;
  };
  BenchTally whole;
  whole.Add(BenchTally());  // one that was stopped before it measured anything
  whole.Add(tally_of(5, 100, 50));
  whole.Add(tally_of(7, 90, 20));
  whole.Add(tally_of(1, 120, 60));
  whole.Add(BenchTally());
  CHECK(whole.iterations == 13);
  CHECK(whole.late == 3);
  CHECK(whole.peak_in_flight == 9);
  CHECK(whole.failures.total() == 3);
  CHECK(Ms(whole.elapsed) == 90);
}

}  // namespace
}  // namespace rankd
