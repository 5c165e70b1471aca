// Chains, the longest path, and the description of a graph, over the built-in tasks.
#include "engine/graph/explain.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/graph/chains.h"
#include "engine/graph/static_cost.h"
#include "engine/plan/registry.h"
#include "tasks/builtin.h"
#include "tests/graph/fake_tasks.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

EndpointTable Endpoints() {
  EndpointSpec cache;
  cache.name = "cache";
  cache.endpoint_id = "ep_1";
  cache.host = "::1";
  cache.db = 3;
  EndpointSpec socket;
  socket.name = "socket";
  socket.unix_socket = "/run/redis.sock";
  socket.db = 2;
  socket.password = "secret";
  EndpointSpec memory;
  memory.name = "memory";
  memory.kind = EndpointKind::kMemory;
  memory.data = "data.json";
  return EndpointTable({cache, socket, memory});
}

struct Explained {
  std::shared_ptr<const Graph> graph;
  GraphExplanation explanation;

  const NodeExplanation& Node(std::string_view id) const {
    const auto found = std::ranges::find(explanation.nodes, id, &NodeExplanation::id);
    REQUIRE(found != explanation.nodes.end());
    return *found;
  }
  std::string Ids(const std::vector<std::uint32_t>& nodes) const {
    std::string text;
    for (const std::uint32_t node : nodes) text += explanation.IdOf(node) + " ";
    return text;
  }
  /// "a b |c d |"
  std::string Chains() const {
    std::string text;
    for (const auto& chain : explanation.chains) text += Ids(chain) + "|";
    return text;
  }
  std::string Edges() const {
    std::string text;
    for (const EdgeExplanation& edge : explanation.edges) {
      text += explanation.IdOf(edge.from) + ">" + explanation.IdOf(edge.to);
      if (edge.kind != EdgeKind::kForward) text += ":" + std::string(EdgeKindName(edge.kind));
      text += " ";
    }
    return text;
  }
  /// "a=0 b=1 b[end]=1/item "
  std::string Required() const {
    std::string text;
    for (const NodeExplanation& node : explanation.nodes) {
      text += node.id + "=" + std::to_string(node.required) + (node.per_item ? "/item " : " ");
    }
    return text;
  }
  /// What the counters must agree with, whatever the plan.
  void CheckCounters() const {
    std::vector<std::uint32_t> into(explanation.nodes.size(), 0);
    for (const EdgeExplanation& edge : explanation.edges) {
      if (edge.to >= explanation.nodes.size()) continue;
      if (edge.kind == EdgeKind::kBack) {
        CHECK(edge.from > edge.to);
        continue;
      }
      CHECK(edge.from < edge.to);
      ++into[edge.to];
    }
    for (std::uint32_t i = 0; i < explanation.nodes.size(); ++i) {
      const NodeExplanation& node = explanation.nodes[i];
      CAPTURE(node.id);
      if (node.id.ends_with("[end]")) {
        CHECK(node.required == 1);
        CHECK(into[i] >= 1);
      } else {
        CHECK(node.required == into[i] + (node.lazy ? 1 : 0));
      }
    }
  }
};

/// Plans by name, as JSON texts.
class Callable final : public PlanSource {
 public:
  std::map<std::string, std::string, std::less<>> texts;

  Result<std::unique_ptr<const Plan>> Load(std::string_view name, Problems& problems) override {
    const auto found = texts.find(name);
    if (found == texts.end()) return Fail(ErrorCode::kUnknownPlan, "no such plan");
    return ParsePlan(MustParse(found->second), FakeSchema(), name, problems);
  }
};

std::string NamedPlan(std::string_view name, std::string_view nodes, std::string_view outputs) {
  return R"({"schema_version":1,"plan_name":")" + std::string(name) + R"(","nodes":[)" +
         std::string(nodes) + R"(],"outputs":[)" + std::string(outputs) + "]}";
}

/// CPU work is inline up to a thousand estimated nanoseconds, as if that were the policy.
Explained ExplainPlan(std::string_view nodes, std::string_view outputs,
                      std::optional<std::chrono::milliseconds> node_timeout = std::nullopt,
                      PlanSource* plans = nullptr) {
  Problems problems;
  const EndpointTable endpoints = Endpoints();
  const auto plan = ParsePlan(MustParse(PlanJson(nodes, outputs)), FakeSchema(), "", problems);
  REQUIRE(plan != nullptr);
  Explained explained;
  explained.graph = BuildGraph(*plan, BuiltinTasks(), endpoints, plans, problems);
  REQUIRE_MESSAGE(explained.graph != nullptr, ShowProblems(problems));
  ExplainScope scope;
  scope.endpoints = &endpoints;
  scope.node_timeout = node_timeout;
  scope.runs_inline = [](const CpuTask& task, std::size_t rows) {
    if (task.placement() != Placement::kByCost) return task.placement() == Placement::kInline;
    return task.EstimateCost(rows) <= 1000;
  };
  explained.explanation = Explain(*explained.graph, scope);
  return explained;
}

std::string Source(std::string_view id) {
  return R"({"node_id":")" + std::string(id) + R"(","op":"fixed_source","params":{"row_count":3}})";
}

std::string Take(std::string_view id, std::string_view input) {
  return R"({"node_id":")" + std::string(id) + R"(","op":"take","params":{"count":2},"inputs":[")" +
         std::string(input) + R"("]})";
}

/// `inputs` with their quotes.
std::string Concat(std::string_view id, std::string_view inputs) {
  return R"({"node_id":")" + std::string(id) + R"(","op":"concat","inputs":[)" +
         std::string(inputs) + "]}";
}

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

/// A node of one input with params; `more` are fields behind them.
std::string Node(std::string_view id, std::string_view op, std::string_view input,
                 std::string_view params, std::string_view more = "") {
  return R"({"node_id":")" + std::string(id) + R"(","op":")" + std::string(op) +
         R"(","inputs":[")" + std::string(input) + R"("],"params":{)" + std::string(params) + "}" +
         std::string(more) + "}";
}

std::string Body(std::string_view nodes, std::string_view outputs) {
  return R"({"nodes":[)" + std::string(nodes) + R"(],"outputs":[)" + std::string(outputs) + "]}";
}

TEST_CASE("a branch: its head continues into one body, its join requires one end or the break") {
  const std::string cases = R"("cases":[{"when":"count() > 1","body":)" +
                            Body(Take("x", "$in"), R"("x")") +
                            R"x(},{"when":"all(n > 2)","body":)x" + Body("", R"("$in")") + "}]";
  const Explained open = ExplainPlan(
      Source("s") + "," + Node("b", "branch", "s", cases) + "," + Take("t", "b"), R"("t")");
  CHECK(open.Edges() ==
        "s>b b>b[case0]/x:CONTINUE b>b[case1]/[out]:CONTINUE b[case0]/x>b[end] "
        "b[case1]/[out]>b[end] b>b[end]:BREAK b[end]>t ");
  CHECK(open.Required() == "s=0 b=1 b[case0]/x=1 b[case1]/[out]=1 b[end]=1 t=1 ");
  CHECK(open.Node("b").role == NodeRole::kHead);
  CHECK(open.Node("b").details ==
        std::vector<std::string>{"case0: count() > 1", "case1: all(n > 2)"});
  CHECK(open.Node("b[end]").role == NodeRole::kJoin);
  open.CheckCounters();
  const Explained closed = ExplainPlan(
      Source("s") + "," +
          Node("b", "branch", "s", cases + R"(,"else":)" + Body(Take("x", "$in"), R"("x")")),
      R"("b")");
  CHECK(closed.Edges().find("BREAK") == std::string::npos);
  CHECK(closed.Node("b[else]/x").body == 2);
  CHECK(closed.Ids(closed.explanation.outputs) == "b[end] ");
  closed.CheckCounters();
}

TEST_CASE("a for_each: the join requires the body's end for each item, or the break") {
  const Explained explained = ExplainPlan(
      Source("s") + "," +
          Node("e", "for_each", "s",
               R"("over":"chunks","chunk_size":2,"max_parallel":8,"on_item_error":"skip","body":)" +
                   Body(Take("x", "$in") + "," + Take("y", "$in"), R"("x","y")")),
      R"("e")");
  CHECK(explained.Edges() ==
        "s>e e>e/x:CONTINUE e>e/y:CONTINUE e/x>e/[out] e/y>e/[out] e/[out]>e[end] "
        "e>e[end]:BREAK ");
  CHECK(explained.Required() == "s=0 e=1 e/x=1 e/y=1 e/[out]=2 e[end]=1/item ");
  CHECK(explained.Node("e").details ==
        std::vector<std::string>{"over chunks of 2", "max_parallel 8", "skips items that fail"});
  REQUIRE(explained.explanation.bodies.size() == 1);
  const BodyExplanation& body = explained.explanation.bodies[0];
  CHECK(body.path == "e/");
  CHECK(body.head == 1);
  CHECK(body.first == 2);
  CHECK(body.end == 5);
  explained.CheckCounters();
}

TEST_CASE("a loop: the body's end leads back, which the head does not wait for") {
  const Explained explained = ExplainPlan(
      Source("s") + "," +
          Node("l", "loop", "s",
               R"x("while":"any(n < 3)","until":"L.k > 2","as":"k","body":)x" +
                   Body(Concat("c", R"("$in","$carry")") + "," + Take("d", "c"), R"("d")")),
      R"("l")");
  CHECK(explained.Edges() ==
        "s>l l/d>l:BACK l>l/c:CONTINUE l>l/c:CONTINUE l/c>l/d l>l[end]:BREAK ");
  CHECK(explained.Required() == "s=0 l=1 l/c=2 l/d=1 l[end]=1 ");
  CHECK(explained.Node("l").details == std::vector<std::string>{"while any(n < 3)",
                                                                "max_iterations 10000",
                                                                "until L.k > 2", "result last"});
  CHECK(explained.Ids(explained.explanation.longest_path.nodes) == "s l l/c l/d l[end] ");
  CHECK(explained.Chains() == "l/c l/d |");
  explained.CheckCounters();
  const Explained carried = ExplainPlan(
      Source("s") + "," +
          Node("l", "loop", "s", R"("times":{"expr":"P.limit"},"body":)" + Body("", R"("$carry")")),
      R"("l")");
  CHECK(carried.Edges() == "s>l l/[out]>l:BACK l>l/[out]:CONTINUE l>l[end]:BREAK ");
  CHECK(carried.Node("l").details.front() == "times P.limit");
}

TEST_CASE("a try: body and catches come together where one is enough; its limit is its own only") {
  const Explained explained = ExplainPlan(
      Node("t", "try", "s",
           R"("body":)" + Body(Source("x"), R"("x")") +
               R"(,"catch":[{"codes":["node_timeout","bad_data"],"body":)" +
               Body(Take("x", "$in"), R"("x")") + R"(},{"body":)" + Body("", R"("$in")") + "}]") +
          "," + Source("s"),
      R"("t")", std::chrono::milliseconds(70));
  CHECK(explained.Edges() ==
        "s>t t>t[body]/x:CONTINUE t>t[catch0]/x:CONTINUE t>t[catch1]/[out]:CONTINUE "
        "t[body]/x>t[end] t[catch0]/x>t[end] t[catch1]/[out]>t[end] ");
  CHECK(explained.Node("t").details ==
        std::vector<std::string>{"catch0: node_timeout bad_data", "catch1: any code"});
  CHECK_FALSE(explained.Node("t").timeout);
  CHECK_FALSE(explained.Node("t[end]").timeout);
  CHECK(explained.Node("t[body]/x").timeout == std::chrono::milliseconds(70));
  explained.CheckCounters();
}

TEST_CASE("a call: the other plan is shown at each call of it, calls of its own included") {
  Callable plans;
  plans.texts["inner"] =
      NamedPlan("inner", Take("keep", "$in") + "," + Take("unused", "keep"), R"("keep")");
  plans.texts["outer"] =
      NamedPlan("outer", Node("again", "call", "$in", R"("plan":"inner")"), R"("again")");
  const Explained explained =
      ExplainPlan(Source("s") + "," + Node("a", "call", "s", R"("plan":"inner")") + "," +
                      Node("b", "call", "a", R"("plan":"outer")"),
                  R"("b")", std::nullopt, &plans);
  CHECK(explained.Edges() ==
        "s>a a>a/keep:CONTINUE a/keep>a[end] a[end]>b b>b/again:CONTINUE "
        "b/again>b/again/keep:CONTINUE b/again/keep>b/again[end] b/again[end]>b[end] "
        "a/keep>a/unused b/again/keep>b/again/unused ");
  CHECK(explained.Required() ==
        "s=0 a=1 a/keep=1 a[end]=1 b=1 b/again=1 b/again/keep=1 b/again[end]=1 b[end]=1 ");
  const std::vector<BodyExplanation>& bodies = explained.explanation.bodies;
  REQUIRE(bodies.size() == 3);
  CHECK(bodies[0].plan == "inner");
  CHECK(bodies[1].plan == "outer");
  CHECK(bodies[2].plan == "inner");
  CHECK(bodies[2].outer == 1);
  CHECK(explained.Node("a").details == std::vector<std::string>{"plan inner"});
  explained.CheckCounters();
}

TEST_CASE("plans that call plans many times over are shown up to a number of nodes") {
  Callable plans;
  std::string name = "p0";
  plans.texts[name] = NamedPlan(name, Take("t", "$in"), R"("t")");
  for (int depth = 1; depth < 20; ++depth) {  // each one twice: a million nodes in all
    const std::string call = R"("plan":")" + name + R"(")";
    name = "p" + std::to_string(depth);
    plans.texts[name] = NamedPlan(
        name, Node("a", "call", "$in", call) + "," + Node("b", "call", "a", call), R"("b")");
  }
  const Explained explained =
      ExplainPlan(Source("s") + "," + Node("c", "call", "s", R"("plan":")" + name + R"(")"),
                  R"("c")", std::nullopt, &plans);
  CHECK(explained.explanation.nodes.size() > 1000);
  CHECK(explained.explanation.nodes.size() < 3 * kMaxCalledNodes);
  CHECK(std::ranges::any_of(explained.explanation.nodes, [](const NodeExplanation& node) {
    return node.role == NodeRole::kNode && !node.details.empty() &&
           node.details.back() == "too large to be shown";
  }));
  explained.CheckCounters();
}

TEST_CASE("captured nodes: an edge into the body, lazy where nothing else needs them") {
  const Explained explained = ExplainPlan(
      Source("s") + "," + Take("lazy", "s") + "," + Take("eager", "s") + "," +
          Node("e", "for_each", "s",
               R"("over":"rows","as":"i","body":)" +
                   Body(Take("own", "$in") + "," +
                            Node("b", "branch", "$in",
                                 R"("cases":[{"when":"L.i > 0","body":)" +
                                     Body(Concat("all", R"("lazy","own","eager")"), R"("all")") +
                                     R"(}],"else":)" + Body("", R"("lazy")")),
                        R"("b")")),
      R"("e","eager")");
  CHECK(explained.Edges() ==
        "s>lazy s>eager s>e e>e/own:CONTINUE e>e/b:CONTINUE lazy>e/b[case0]/all "
        "e/own>e/b[case0]/all eager>e/b[case0]/all e/b>e/b[case0]/all:CONTINUE "
        "lazy>e/b[else]/[out] e/b>e/b[else]/[out]:CONTINUE e/b[case0]/all>e/b[end] "
        "e/b[else]/[out]>e/b[end] e/b[end]>e[end] e>e[end]:BREAK ");
  CHECK(explained.Node("lazy").lazy);
  CHECK(explained.Node("lazy").required == 2);
  CHECK(explained.Node("e/own").lazy);
  CHECK_FALSE(explained.Node("eager").lazy);
  CHECK(explained.Node("e/b[case0]/all").body == 1);
  CHECK(explained.explanation.bodies[1].outer == 0);
  explained.CheckCounters();
}

TEST_CASE("a plan that names $in begins with it") {
  const Explained explained =
      ExplainPlan(Concat("c", R"("$in","s","$in")") + "," + Source("s"), R"("c","$in")");
  CHECK(explained.Edges() == "$in>c s>c $in>c ");
  CHECK(explained.Required() == "$in=0 s=0 c=3 ");
  CHECK(explained.Node("$in").role == NodeRole::kInput);
  CHECK(explained.Node("$in").outputs == std::vector<std::uint32_t>{1});
  explained.CheckCounters();
}

TEST_CASE("retries and what stands for rows of a failure are told") {
  const Explained explained =
      ExplainPlan(Source("s") + "," +
                      Node("t", "take", "s", R"("count":1)",
                           R"(,"retry":{"max_attempts":4,"backoff_ms":7},"on_error":"pass")"),
                  R"("t")");
  REQUIRE(explained.Node("t").retry);
  CHECK(explained.Node("t").retry->max_attempts == 4);
  CHECK(explained.Node("t").retry->backoff == std::chrono::milliseconds(7));
  CHECK(explained.Node("t").on_error == OnError::kPass);
  CHECK_FALSE(explained.Node("s").retry);
}

TEST_CASE("a body of 100,000 nodes, and bodies 60 deep, are explained") {
  std::string nodes = Take("n0", "$in");
  for (int i = 1; i < 100'000; ++i) {
    nodes += "," + Take("n" + std::to_string(i), "n" + std::to_string(i - 1));
  }
  const Explained wide = ExplainPlan(
      Source("s") + "," +
          Node("e", "for_each", "s", R"("over":"rows","body":)" + Body(nodes, R"("n99999")")),
      R"("e")");
  REQUIRE(wide.explanation.chains.size() == 1);
  CHECK(wide.explanation.longest_path.nodes.size() == 100'003);
  std::string body = Body("", R"("$in")");
  for (int depth = 1; depth < 60; ++depth) {
    body = Body(Node("d", "loop", "$in", R"("times":2,"body":)" + body), R"("d")");
  }
  const Explained deep = ExplainPlan(
      Source("s") + "," + Node("d", "loop", "s", R"("times":2,"body":)" + body), R"("d")");
  CHECK(deep.explanation.bodies.size() == 60);
  CHECK(deep.explanation.nodes.size() == 1 + 3 * 60 - 59);
  deep.CheckCounters();
}

}  // namespace
}  // namespace rankd
