// Chains, the longest path, and the description of a graph, over the built-in tasks.
#include "engine/graph/explain.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/graph/chains.h"
#include "engine/graph/static_cost.h"
#include "tests/graph/explained.h"

namespace rankd {
namespace {

TEST_CASE("a chain is as long as CPU nodes have one consumer and one producer, each other") {
  // s stays on the loop; b's rows go two ways; m takes from two; z waits on a timer.
  const Explained explained = ExplainPlan(
      Source("s") + "," + Take("a1", "s") + "," + Take("a2", "a1") + "," + Take("b", "a2") + "," +
          Take("c1", "b") + "," + Take("c2", "c1") + "," + Take("d", "b") + "," +
          Concat("m", R"("c2","d")") + "," + Take("e", "m") +
          R"(,{"node_id":"z","op":"sleep","inputs":["e"],"params":{"duration_ms":1}},)" +
          Take("f", "z"),
      R"("f")");
  CHECK(explained.Chains() == "a1 a2 b |c1 c2 |m e |");
  CHECK(explained.Node("a2").chain == 0);
  CHECK(explained.Node("c1").chain == 1);
  CHECK_FALSE(explained.Node("s").chain);
  CHECK_FALSE(explained.Node("d").chain);
  CHECK_FALSE(explained.Node("z").chain);
  CHECK_FALSE(explained.Node("f").chain);
}

TEST_CASE("an output ends a chain; an input named twice does not") {
  const Explained explained =
      ExplainPlan(Source("s") + "," + Take("a", "s") + "," + Take("b", "a") + "," +
                      Concat("c", R"("b","b")") + "," + Take("d", "c"),
                  R"("d","b")");
  CHECK(explained.Chains() == "a b |c d |");
  const Explained twice =
      ExplainPlan(Source("s") + "," + Take("b", "s") + "," + Concat("c", R"("b","b")"), R"("c")");
  CHECK(twice.Chains() == "b c |");
}

TEST_CASE("busy_cpu, which is always on the pool, belongs to chains; pruned nodes do not") {
  const Explained explained = ExplainPlan(
      Source("s") +
          R"(,{"node_id":"spin","op":"busy_cpu","inputs":["s"],"params":{"busy_wait_ms":1}},)" +
          Take("a", "spin") + "," + Take("p1", "a") + "," + Take("p2", "p1"),
      R"("a")");
  CHECK(explained.Chains() == "spin a |");
  CHECK(explained.Edges() == "s>spin spin>a a>p1 p1>p2 ");
  REQUIRE(explained.explanation.pruned.size() == 2);
  CHECK(explained.explanation.pruned[1].id == "p2");
  CHECK(explained.explanation.pruned[1].op == "take");
}

TEST_CASE("a round trip outweighs any CPU work, CPU work any number of nodes") {
  const std::string_view follow =
      R"(,{"node_id":"f","op":"follow","inputs":["s"],"params":{"endpoint":"cache","fields":[]}})";
  const std::string spin =
      R"(,{"node_id":"spin","op":"busy_cpu","inputs":["s"],"params":{"busy_wait_ms":9}})";
  const std::string longer = "," + Take("a", "s") + "," + Take("b", "a") + "," + Take("c", "b");
  const Explained io = ExplainPlan(
      Source("s") + std::string(follow) + spin + longer + "," + Concat("m", R"("c","spin","f")"),
      R"("m")");
  CHECK(io.Ids(io.explanation.longest_path.nodes) == "s f m ");
  CHECK(io.explanation.longest_path.round_trips == 1);
  CHECK(io.Node("f").on_longest_path);
  CHECK_FALSE(io.Node("spin").on_longest_path);
  const Explained cpu =
      ExplainPlan(Source("s") + spin + longer + "," + Concat("m", R"("c","spin")"), R"("m")");
  CHECK(cpu.Ids(cpu.explanation.longest_path.nodes) == "s spin m ");
  CHECK(cpu.explanation.longest_path.cpu_ns == doctest::Approx(3 + 9e6 + 5000));
}

TEST_CASE("of paths that cost the same the longest counts, then the first") {
  const std::string sleep = R"({"op":"sleep","params":{"duration_ms":1})";
  const auto node = [&](std::string_view id, std::string_view inputs) {
    return sleep + R"(,"node_id":")" + std::string(id) + R"(","inputs":[)" + std::string(inputs) +
           "]}";
  };
  const Explained explained = ExplainPlan(
      node("a", "") + "," + node("x", "") + "," + node("b", R"("a")") + "," + node("y", R"("x")") +
          "," + node("z", "") + "," + Concat("m", R"("z","y","b")"),
      R"("m")");
  CHECK(explained.Ids(explained.explanation.longest_path.nodes) == "x y m ");
}

TEST_CASE("the longest path ends where nothing goes on, whatever the outputs are") {
  const Explained explained =
      ExplainPlan(Source("s") + "," + Take("a", "s") + "," + Take("b", "a"), R"("a","b","a")");
  CHECK(explained.Ids(explained.explanation.longest_path.nodes) == "s a b ");
  CHECK(explained.Ids(explained.explanation.outputs) == "a b a ");
  CHECK(explained.Node("a").outputs == std::vector<std::uint32_t>{0, 2});
  CHECK(explained.Node("b").outputs == std::vector<std::uint32_t>{1});
}

TEST_CASE("each node tells where it runs, what it costs, and what it talks to") {
  const Explained explained = ExplainPlan(
      R"({"node_id":"v","op":"viewer","params":{"endpoint":"memory","fields":["text"]},"timeout_ms":0},
         {"node_id":"f","op":"follow","inputs":["v"],"timeout_ms":30,
          "params":{"endpoint":"ep_1","fields":["n","text"],"trace":"who"}},
         {"node_id":"g","op":"features","inputs":["f"],"params":{"endpoint":"socket","fields":["n"]}},
         {"node_id":"t","op":"take","inputs":["g"],"params":{"count":1}},
         {"node_id":"b","op":"busy_cpu","params":{"busy_wait_ms":2},"effect":true},)" +
          Source("s") + "," + Concat("c", R"("t","s","t")"),
      R"("c")", std::chrono::milliseconds(70));
  const NodeExplanation& viewer = explained.Node("v");
  CHECK(viewer.runs_on == RunsOn::kCoroutine);
  CHECK(viewer.round_trips == 1);
  CHECK(viewer.writes == std::vector<std::string>{"text"});
  CHECK_FALSE(viewer.timeout);
  CHECK(viewer.required == 0);
  const NodeExplanation& follow = explained.Node("f");
  CHECK(follow.round_trips == 2);
  CHECK(follow.timeout == std::chrono::milliseconds(30));
  CHECK(follow.trace == "who");
  CHECK(follow.writes == std::vector<std::string>{"n", "text"});
  const NodeExplanation& take = explained.Node("t");
  CHECK(take.runs_on == RunsOn::kInlineOrPool);
  CHECK(take.pool_from_rows == 2001);
  CHECK(take.ns_per_row == 0.5);
  CHECK(take.fixed_ns == 0);
  CHECK(take.timeout == std::chrono::milliseconds(70));
  CHECK(take.writes.empty());
  CHECK(explained.Node("b").runs_on == RunsOn::kPool);
  CHECK(explained.Node("b").fixed_ns == 2e6);
  CHECK(explained.Node("b").effect);
  CHECK(explained.Node("s").runs_on == RunsOn::kInline);
  CHECK(explained.Node("c").required == 3);
  CHECK(explained.explanation.needs_user_id);

  const std::vector<EndpointExplanation>& endpoints = explained.explanation.endpoints;
  REQUIRE(endpoints.size() == 3);
  CHECK(endpoints[0].name == "memory");
  CHECK(endpoints[0].kind == "memory");
  CHECK(endpoints[0].address == "data.json");
  CHECK(viewer.endpoints == std::vector<std::uint32_t>{0});
  CHECK(endpoints[1].address == "[::1]:6379/3");
  CHECK(follow.endpoints == std::vector<std::uint32_t>{1});
  CHECK(endpoints[2].address == "unix:///run/redis.sock?db=2");
}

TEST_CASE("a policy that knows no threshold leaves none") {
  const Explained explained = ExplainPlan(Source("s") + "," + Take("t", "s"), R"("t")");
  ExplainScope scope;
  const EndpointTable endpoints = Endpoints();
  scope.endpoints = &endpoints;
  scope.runs_inline = [](const CpuTask&, std::size_t) { return true; };
  CHECK(Explain(*explained.graph, scope).nodes[1].runs_on == RunsOn::kInline);
  scope.runs_inline = [](const CpuTask&, std::size_t) { return false; };
  CHECK(Explain(*explained.graph, scope).nodes[1].runs_on == RunsOn::kPool);
  scope.runs_inline = [](const CpuTask&, std::size_t rows) { return rows == 0; };
  CHECK(Explain(*explained.graph, scope).nodes[1].pool_from_rows == 1);
}

TEST_CASE("edges are told in the order of inputs, repeats and pruned ends included") {
  const Explained explained =
      ExplainPlan(Concat("m", R"("b","a","b")") + "," + Source("a") + "," + Source("b") + "," +
                      Concat("p", R"("q","b","q")") + "," + Source("q"),
                  R"("m")");
  CHECK(explained.Edges() == "b>m a>m b>m q>p b>p q>p ");
  CHECK(EdgeKindName(explained.explanation.edges[0].kind) == "FORWARD");
}

TEST_CASE("a chain of 100,000 nodes is one chain and the longest path") {
  constexpr std::size_t kLength = 100'000;
  std::string nodes = Source("n0");
  for (std::size_t i = 1; i < kLength; ++i) {
    nodes += "," + Take("n" + std::to_string(i), "n" + std::to_string(i - 1));
  }
  const Explained explained = ExplainPlan(nodes, "\"n" + std::to_string(kLength - 1) + "\"");
  REQUIRE(explained.explanation.chains.size() == 1);
  CHECK(explained.explanation.chains[0].size() == kLength - 1);
  CHECK(explained.explanation.longest_path.nodes.size() == kLength);
}

TEST_CASE("retries and what stands for rows of a failure are told") {
  const Explained explained =
      ExplainPlan(Source("s") + "," +
                      NodeWith("t", "take", "s", R"("count":1)",
                               R"(,"retry":{"max_attempts":4,"backoff_ms":7},"on_error":"pass")"),
                  R"("t")");
  REQUIRE(explained.Node("t").retry);
  CHECK(explained.Node("t").retry->max_attempts == 4);
  CHECK(explained.Node("t").retry->backoff == std::chrono::milliseconds(7));
  CHECK(explained.Node("t").on_error == OnError::kPass);
  CHECK_FALSE(explained.Node("s").retry);
}

}  // namespace
}  // namespace rankd
