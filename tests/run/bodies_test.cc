// Nodes with bodies, on a loop that is turned by hand and with the real tasks.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/run/trace_json.h"
#include "tests/run/bodies_bench.h"

namespace rankd {
namespace {

TEST_CASE("a loop of a diamond visits each edge once an iteration") {
  BodiesBench bench;
  bench.Play(SourceOf(3) +
             R"(,{"node_id":"out","op":"loop","inputs":["s"],"params":{"times":1000,"body":{
      "nodes":[{"node_id":"a","op":"take","inputs":["$in"],"params":{"count":9}},
               {"node_id":"x","op":"take","inputs":["a"],"params":{"count":2}},
               {"node_id":"y","op":"take","inputs":["a"],"params":{"count":1,"offset":2}},
               {"node_id":"b","op":"concat","inputs":["x","y"]}],"outputs":["b"]}}})");
  CHECK(bench.listener.rows == Ids{1, 2, 3});
  const RunCounts& counts = bench.run.counts();
  CHECK(counts.activations == 1000);
  CHECK(counts.starts == 2 + 4 * 1000);
  CHECK(counts.completions == counts.starts);
  CHECK(counts.edges == 1 + 5 * 1000);
  CHECK(bench.listener.idles == 1);
}

TEST_CASE("items run side by side, at most max_parallel at once, and stand in their order") {
  BodiesBench bench;
  // Later items sleep less: 8, 7, … ms.
  bench.Play(SourceOf(8) +
             R"(,{"node_id":"out","op":"for_each","inputs":["s"],"params":{"over":"rows",
      "max_parallel":4,"body":{"nodes":[{"node_id":"z","op":"sleep","inputs":["$in"],
      "params":{"duration_ms":{"expr":"8 - L.i"}}}],"outputs":["z"]}}})");
  CHECK(bench.listener.rows == Ids{1, 2, 3, 4, 5, 6, 7, 8});
  // 8 7 6 5, then 4 after 5, 3 after 6, 2 after 7, 1 after 8.
  CHECK(bench.elapsed() == milliseconds(9));
}

TEST_CASE("a failing item ends its siblings at once, or is left out") {
  const auto plan = [](const char* on_error) {
    return SourceOf(4) +
           R"(,{"node_id":"out","op":"for_each","inputs":["s"],"params":{"over":"rows",
        "on_item_error":")" +
           on_error + R"(","body":{"nodes":[
        {"node_id":"b","op":"branch","inputs":["$in"],"params":{"cases":[{"when":"L.i == 1","body":{
          "nodes":[{"node_id":"f","op":"sleep","inputs":["$in"],"params":{"duration_ms":5,"fail_after_sleep":true}}],
          "outputs":["f"]}}],"else":{
          "nodes":[{"node_id":"z","op":"sleep","inputs":["$in"],"params":{"duration_ms":50}}],
          "outputs":["z"]}}}],"outputs":["b"]}}})";
  };
  BodiesBench bench;
  bench.Play(plan("fail"));
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kTaskFailed);
  CHECK(bench.listener.error->node == "f");
  CHECK(bench.elapsed() == milliseconds(5));
  CHECK(bench.listener.idles == 1);
  bench.Play(plan("skip"));
  CHECK(bench.listener.rows == Ids{1, 3, 4});
  CHECK(bench.elapsed() == milliseconds(50));
  CHECK(bench.run.trace().nodes[1].skipped == 1);
}

TEST_CASE("a trace that is full of bodies still has every node of the plan") {
  BodiesBench bench;
  bench.Play(SourceOf(static_cast<int>(kMaxTraced)) +
             R"(,{"node_id":"f","op":"for_each","inputs":["s"],"params":{"over":"rows","body":{
      "nodes":[],"outputs":["$in"]}}},
      {"node_id":"out","op":"take","inputs":["f"],"params":{"count":1}})");
  CHECK(bench.listener.rows == Ids{1});
  CHECK(bench.Started("out") == 1);
  CHECK(bench.run.trace().left_out == 0);
}

TEST_CASE("a catch runs at once and what is still in flight in the body reaches nobody") {
  BodiesBench bench;
  bench.Start(
      SourceOf(3) + R"(,{"node_id":"out","op":"try","inputs":["s"],"params":{"body":{"nodes":[)" +
      SleepNode("slow", R"("$in")", 100) + "," + SleepNode("bad", R"("$in")", 10, kThenFails) +
      R"(,{"node_id":"c","op":"concat","inputs":["slow","bad"]}],"outputs":["c"]},
              "catch":[{"codes":["node_timeout"],"body":{"nodes":[],"outputs":["$in"]}},
                       {"body":{"nodes":[{"node_id":"t","op":"take","inputs":["$in"],"params":{"count":1}}],
                                "outputs":["t"]}}]}})");
  bench.loop.Advance(milliseconds(10));
  CHECK(bench.listener.answers == 1);
  CHECK(bench.listener.rows == Ids{1});
  bench.Finish();
  CHECK(bench.listener.idles == 1);
  CHECK(bench.listener.answers == 1);
}

TEST_CASE("the time limit of a try is its body's, and offered to the catches, which have none") {
  BodiesBench bench;
  bench.Play(SourceOf(2) +
             R"(,{"node_id":"out","op":"try","inputs":["s"],"timeout_ms":20,"params":{"body":{
      "nodes":[)" +
             SleepNode("slow", R"("$in")", 100) + R"(],"outputs":["slow"]},
      "catch":[{"codes":["node_timeout"],"body":{"nodes":[)" +
             SleepNode("late", R"("$in")", 70) + R"(],"outputs":["late"]}}]}})");
  CHECK(bench.listener.rows == Ids{1, 2});
  CHECK(bench.elapsed() == milliseconds(90));
}

TEST_CASE("a body of a loop sees its own variable, and the outer one is back afterwards") {
  BodiesBench bench;
  bench.Play(
      SourceOf(1) +
      R"(,{"node_id":"out","op":"loop","inputs":["s"],"params":{"times":2,"result":"concat","body":{
      "nodes":[{"node_id":"in","op":"loop","inputs":["$in"],"params":{"times":3,"body":{
                 "nodes":[{"node_id":"x","op":"vm","inputs":["$in"],"params":{"out_key":"n","expr":"L.i"}}],
                 "outputs":["x"]}}},
               {"node_id":"y","op":"vm","inputs":["in"],"params":{"out_key":"m","expr":"L.i * 10 + n"}},
               {"node_id":"keep","op":"filter","inputs":["y"],"params":{"pred":"m == L.i * 10 + 2"}}],
      "outputs":["keep"]}}})");
  CHECK(bench.listener.rows == Ids{1, 1});
}

TEST_CASE("what only an unchosen branch names never starts, what two bodies name starts once") {
  BodiesBench bench;
  const std::string plan = SourceOf(4) + "," + SleepNode("far", R"("s")", 7) + "," +
                           SleepNode("never", R"("s")", 7, kThenFails) + R"(,
      {"node_id":"out","op":"for_each","inputs":["s"],"params":{"over":"rows","body":{"nodes":[
        {"node_id":"near","op":"take","inputs":["never"],"params":{"count":1}},
        {"node_id":"b","op":"branch","inputs":["$in"],"params":{"cases":[
          {"when":"P.yes","body":{"nodes":[],"outputs":["near"]}},
          {"when":"L.i < 2","body":{"nodes":[],"outputs":["far"]}}],
          "else":{"nodes":[],"outputs":["$in"]}}}],"outputs":["b"]}}})";
  bench.Play(plan);
  CHECK(bench.listener.rows == Ids{1, 2, 3, 4, 1, 2, 3, 4, 3, 4});
  CHECK(bench.elapsed() == milliseconds(7));
  CHECK(bench.Started("far") == 1);
  CHECK(bench.Started("near") == 0);
  CHECK(bench.Started("never") == 0);
}

TEST_CASE("a captured node that fails fails the scope it stands in, not the try that asked") {
  BodiesBench bench;
  bench.Play(SourceOf(1) + "," + SleepNode("bad", R"("s")", 3, kThenFails) +
             R"(,{"node_id":"out","op":"try","inputs":["s"],"params":{
      "body":{"nodes":[],"outputs":["bad"]},"catch":[{"body":{"nodes":[],"outputs":["$in"]}}]}})");
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->node == "bad");
}

TEST_CASE("a captured node in a body starts once in each of its activations") {
  BodiesBench bench;
  bench.Play(
      SourceOf(1) +
      R"(,{"node_id":"out","op":"loop","inputs":["s"],"params":{"times":3,"body":{"nodes":[)" +
      SleepNode("c", R"("$in")", 2) + R"(,
      {"node_id":"b","op":"for_each","inputs":["$in"],"params":{"over":"rows","body":{"nodes":[],
       "outputs":["c","c"]}}},
      {"node_id":"t","op":"take","inputs":["b"],"params":{"count":1}}],"outputs":["t"]}}})");
  CHECK(bench.listener.rows == Ids{1});
  CHECK(bench.Started("c") == 3);
  CHECK(bench.elapsed() == milliseconds(6));
}

TEST_CASE("a node with bodies is tried again as a whole, and gives way by on_error") {
  BodiesBench bench;
  bench.Play(SourceOf(2) + R"(,{"node_id":"out","op":"for_each","inputs":["s"],"on_error":"pass",
      "retry":{"max_attempts":3,"backoff_ms":10,"jitter":0},"params":{"over":"rows","body":{"nodes":[)" +
             SleepNode("bad", R"("$in")", 5, kThenFails) + R"(],"outputs":["bad"]}}})");
  CHECK(bench.listener.rows == Ids{1, 2});
  CHECK(bench.elapsed() == milliseconds(5 + 10 + 5 + 20 + 5));
  CHECK(bench.Started("bad") == 6);
  CHECK(bench.run.trace().nodes[1].attempts == 3);
  CHECK(bench.run.trace().nodes[1].recovered);
}

TEST_CASE("a while that goes on stops at its limit, or at the deadline") {
  const std::string plan =
      SourceOf(1) +
      R"(,{"node_id":"out","op":"loop","inputs":["s"],"params":{"while":"true","max_iterations":50,
      "body":{"nodes":[)" +
      SleepNode("z", R"("$in")", 1) + R"(],"outputs":["z"]}}})";
  BodiesBench bench;
  bench.Play(plan);
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kLimitExceeded);
  CHECK(bench.elapsed() == milliseconds(50));
  bench.deadline = milliseconds(20);
  bench.Play(plan);
  REQUIRE(bench.listener.error);
  CHECK(bench.listener.error->code == ErrorCode::kDeadlineExceeded);
  CHECK(bench.elapsed() == milliseconds(20));
  CHECK(bench.listener.idles == 2);
}

TEST_CASE("the trace tells the activation, and the critical path goes through the slowest ones") {
  BodiesBench bench;
  bench.Play(SourceOf(2) +
             R"j(,{"node_id":"out","op":"loop","inputs":["s"],"params":{"times":2,"body":{"nodes":[
      {"node_id":"e","op":"for_each","inputs":["$in"],"params":{"over":"rows","body":{
        "nodes":[{"node_id":"z","op":"sleep","inputs":["$in"],"params":{"duration_ms":{"expr":"first(id)"}}}],
        "outputs":["z"]}}}],"outputs":["e"]}}})j");
  std::string json;
  AppendTraceJson(json, bench.run.trace());
  CHECK(json.find(R"("node":"z","op":"sleep","activation":"out[1]/e[0]")") != std::string::npos);
  CHECK(
      json.find(
          R"("critical_path":["s","out","out[0]/e","out[0]/e[1]/z","out[1]/e","out[1]/e[1]/z"])") !=
      std::string::npos);
}

}  // namespace
}  // namespace rankd
