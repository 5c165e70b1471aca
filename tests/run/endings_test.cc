// What ends before its time: the answer does not wait for it, and nothing of it counts any more.
#include <string>

#include <doctest/doctest.h>

#include "tests/run/bodies_bench.h"

namespace rankd {
namespace {

constexpr std::size_t kItems = 2'000;

/// kItems sleepers at once, in a for_each.
std::string Sleepers(int ms, const char* id = "out", const char* input = R"("s")") {
  return R"({"node_id":")" + std::string(id) + R"(","op":"for_each","inputs":[)" + input +
         R"(],"params":{"over":"rows","max_parallel":100000,"body":{"nodes":[)" +
         SleepNode("z", R"("$in")", ms) + R"(],"outputs":["z"]}}})";
}

/// The sleepers in a try of `limit_ms`, whose catch takes one row.
std::string SleepersInTry(int limit_ms, int sleep_ms) {
  return R"({"node_id":"out","op":"try","inputs":["s"],"timeout_ms":)" + std::to_string(limit_ms) +
         R"(,"params":{"body":{"nodes":[)" + Sleepers(sleep_ms, "f", R"("$in")") +
         R"(],"outputs":["f"]},"catch":[{"body":{
             "nodes":[{"node_id":"t","op":"take","inputs":["$in"],"params":{"count":1}}],
             "outputs":["t"]}}]}})";
}

constexpr char kCutByGroups[] =
    R"(,"params":{"over":"groups","by":"id","body":{"nodes":[],"outputs":["$in"]}}})";

TEST_CASE("an answer does not wait for all that is in flight to be stopped") {
  BodiesBench bench;
  bench.Start(SourceOf(kItems) + "," + Sleepers(1000));
  bench.loop.Advance(milliseconds(10));
  REQUIRE(bench.loop.armed_timers() == kItems);
  bench.run.Cancel(Error(ErrorCode::kCancelled, "enough"));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.loop.armed_timers() > kItems / 2);
  CHECK_FALSE(bench.run.idle());
  bench.loop.Turn();
  CHECK(bench.loop.armed_timers() == 0);
  CHECK(bench.run.idle());
  CHECK(bench.listener.idles == 1);
  // It can be used again.
  bench.Play(SourceOf(kItems) + "," + Sleepers(10));
  CHECK(bench.listener.rows.size() == kItems);
}

TEST_CASE("a catch does not wait for the body to be stopped, whose nodes reach nobody") {
  // In the second case the body's nodes end in the very turn in which it is out of time.
  for (const int sleep_ms : {1000, 20}) {
    BodiesBench bench;
    bench.Start(SourceOf(kItems) + "," + SleepersInTry(20, sleep_ms));
    bench.loop.Advance(milliseconds(20));
    CHECK(bench.listener.answers == 1);
    CHECK(bench.listener.rows == Ids{1});
    bench.Finish();
    CHECK(bench.listener.answers == 1);
    CHECK(bench.listener.idles == 1);
    CHECK(bench.elapsed() == milliseconds(20));
    // The source, the try, the for_each and the catch's: no item's.
    CHECK(bench.run.counts().completions == 3);
  }
}

TEST_CASE("bodies in bodies end with the outermost, and the run goes on") {
  BodiesBench bench;
  bench.Start(SourceOf(40) + R"(,{"node_id":"t","op":"try","inputs":["s"],"timeout_ms":20,
      "params":{"body":{"nodes":[{"node_id":"f","op":"for_each","inputs":["$in"],"params":{
        "over":"rows","body":{"nodes":[)" +
              SleepNode("first", R"("$in")", 5) + "," +
              R"({"node_id":"g","op":"loop","inputs":["first"],"params":{"times":100,"body":{
                    "nodes":[)" +
              SleepNode("z", R"("$in")", 1) +
              R"(],"outputs":["z"]}}}],"outputs":["g"]}}}],"outputs":["f"]},
      "catch":[{"body":{"nodes":[],"outputs":["$in"]}}]}},)" +
              SleepNode("out", R"("t")", 50));
  bench.Finish();
  CHECK(bench.listener.rows.size() == 40);
  CHECK(bench.elapsed() == milliseconds(70));
  CHECK(bench.listener.idles == 1);
}

TEST_CASE("a region's own work runs on the pool, and is not waited for when it is too late") {
  const std::string plan = SourceOf(5) +
                           R"(,{"node_id":"out","op":"for_each","inputs":["s"],"timeout_ms":20)" +
                           std::string(kCutByGroups);
  BodiesBench bench;
  bench.cpu = CpuMode::kOffload;
  const auto step = [&] {  // the cut, the join
    bench.executor.RunOne();
    bench.loop.Turn();
  };
  bench.Start(plan);
  step();
  CHECK(bench.listener.answers == 0);
  step();
  CHECK(bench.listener.rows == Ids{1, 2, 3, 4, 5});
  CHECK(bench.executor.submitted() == 2);

  SUBCASE("out of time while it is cut") {
    bench.Start(plan);
    bench.loop.Advance(milliseconds(20));
    CHECK(bench.listener.answers == 2);
    REQUIRE(bench.listener.error);
    CHECK(bench.listener.error->code == ErrorCode::kNodeTimeout);
    CHECK_FALSE(bench.run.idle());
    step();
    CHECK(bench.run.idle());
  }
  SUBCASE("cancelled while it is joined") {
    bench.Start(plan);
    step();
    bench.run.Cancel(Error(ErrorCode::kCancelled, "enough"));
    CHECK(bench.listener.answers == 2);
    CHECK_FALSE(bench.run.idle());
    step();
    CHECK(bench.run.idle());
  }
}

TEST_CASE("a recoverable region goes on from its time limit while its work is on the pool") {
  BodiesBench bench;
  bench.cpu = CpuMode::kOffload;
  bench.Start(
      SourceOf(5) +
      R"(,{"node_id":"out","op":"for_each","inputs":["s"],"timeout_ms":20,"on_error":"pass")" +
      std::string(kCutByGroups));
  bench.executor.RunOne();
  bench.loop.Turn();
  bench.loop.Advance(milliseconds(20));
  CHECK(bench.listener.rows == Ids{1, 2, 3, 4, 5});
  bench.executor.RunAll();
  bench.loop.Turn();
  CHECK(bench.run.idle());
}

TEST_CASE("more bodies than a turn starts are started in turns") {
  BodiesBench bench;
  bench.deadline = milliseconds(5);
  bench.Start(SourceOf(kItems) + "," + Sleepers(1000));
  CHECK(bench.loop.has_posted());
  CHECK(bench.loop.armed_timers() < kItems);
  bench.loop.Turn();
  CHECK(bench.loop.armed_timers() == kItems + 1);
  bench.Finish();
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kDeadlineExceeded);
  CHECK(bench.elapsed() == milliseconds(5));
}

}  // namespace
}  // namespace rankd
