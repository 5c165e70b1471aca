// How plans with bodies are laid out: heads, joins, kinds of edges, and what each requires.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/graph/explained.h"

namespace rankd {
namespace {

std::string Body(std::string_view nodes, std::string_view outputs) {
  return R"({"nodes":[)" + std::string(nodes) + R"(],"outputs":[)" + std::string(outputs) + "]}";
}

TEST_CASE("a branch: its head continues into one body, its join requires one end or the break") {
  const std::string cases = R"("cases":[{"when":"count() > 1","body":)" +
                            Body(Take("x", "$in"), R"("x")") +
                            R"x(},{"when":"all(n > 2)","body":)x" + Body("", R"("$in")") + "}]";
  const Explained open = ExplainPlan(
      Source("s") + "," + NodeWith("b", "branch", "s", cases) + "," + Take("t", "b"), R"("t")");
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
          NodeWith("b", "branch", "s", cases + R"(,"else":)" + Body(Take("x", "$in"), R"("x")")),
      R"("b")");
  CHECK(closed.Edges().find("BREAK") == std::string::npos);
  CHECK(closed.Node("b[else]/x").body == 2);
  CHECK(closed.Ids(closed.explanation.outputs) == "b[end] ");
  closed.CheckCounters();
}

TEST_CASE("a for_each: the join requires the body's end for each item, or the break") {
  const Explained explained = ExplainPlan(
      Source("s") + "," +
          NodeWith(
              "e", "for_each", "s",
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
          NodeWith("l", "loop", "s",
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
  const Explained carried =
      ExplainPlan(Source("s") + "," +
                      NodeWith("l", "loop", "s",
                               R"("times":{"expr":"P.limit"},"body":)" + Body("", R"("$carry")")),
                  R"("l")");
  CHECK(carried.Edges() == "s>l l/[out]>l:BACK l>l/[out]:CONTINUE l>l[end]:BREAK ");
  CHECK(carried.Node("l").details.front() == "times P.limit");
}

TEST_CASE("a try: body and catches come together where one is enough; its limit is its own only") {
  const Explained explained =
      ExplainPlan(NodeWith("t", "try", "s",
                           R"("body":)" + Body(Source("x"), R"("x")") +
                               R"(,"catch":[{"codes":["node_timeout","bad_data"],"body":)" +
                               Body(Take("x", "$in"), R"("x")") + R"(},{"body":)" +
                               Body("", R"("$in")") + "}]") +
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
      NamedPlan("outer", NodeWith("again", "call", "$in", R"("plan":"inner")"), R"("again")");
  const Explained explained =
      ExplainPlan(Source("s") + "," + NodeWith("a", "call", "s", R"("plan":"inner")") + "," +
                      NodeWith("b", "call", "a", R"("plan":"outer")"),
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
    plans.texts[name] =
        NamedPlan(name, NodeWith("a", "call", "$in", call) + "," + NodeWith("b", "call", "a", call),
                  R"("b")");
  }
  const Explained explained =
      ExplainPlan(Source("s") + "," + NodeWith("c", "call", "s", R"("plan":")" + name + R"(")"),
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
          NodeWith(
              "e", "for_each", "s",
              R"("over":"rows","as":"i","body":)" +
                  Body(Take("own", "$in") + "," +
                           NodeWith("b", "branch", "$in",
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

TEST_CASE("a body of 100,000 nodes, and bodies 60 deep, are explained") {
  std::string nodes = Take("n0", "$in");
  for (int i = 1; i < 100'000; ++i) {
    nodes += "," + Take("n" + std::to_string(i), "n" + std::to_string(i - 1));
  }
  const Explained wide = ExplainPlan(
      Source("s") + "," +
          NodeWith("e", "for_each", "s", R"("over":"rows","body":)" + Body(nodes, R"("n99999")")),
      R"("e")");
  REQUIRE(wide.explanation.chains.size() == 1);
  CHECK(wide.explanation.longest_path.nodes.size() == 100'003);
  std::string body = Body("", R"("$in")");
  for (int depth = 1; depth < 60; ++depth) {
    body = Body(NodeWith("d", "loop", "$in", R"("times":2,"body":)" + body), R"("d")");
  }
  const Explained deep = ExplainPlan(
      Source("s") + "," + NodeWith("d", "loop", "s", R"("times":2,"body":)" + body), R"("d")");
  CHECK(deep.explanation.bodies.size() == 60);
  CHECK(deep.explanation.nodes.size() == 1 + 3 * 60 - 59);
  deep.CheckCounters();
}

}  // namespace
}  // namespace rankd
