// Plans at the limits: no deep recursion, nothing quadratic (which would show as a timeout).
#include <string>

#include <doctest/doctest.h>

#include "engine/graph/graph.h"
#include "tests/graph/fake_tasks.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

std::string Node(std::size_t i, std::string_view inputs) {
  return R"({"node_id":"n)" + std::to_string(i) + R"(","op":"any","inputs":[)" +
         std::string(inputs) + "]}";
}

std::string Name(std::size_t i) { return "\"n" + std::to_string(i) + "\""; }

TEST_CASE("a chain of 100,000 nodes is built and released, in either order of the file") {
  constexpr std::size_t kLength = 100'000;
  for (const bool backwards : {false, true}) {
    std::string nodes;
    for (std::size_t k = 0; k < kLength; ++k) {
      const std::size_t i = backwards ? kLength - 1 - k : k;
      if (k != 0) nodes += ",";
      nodes += Node(i, i == 0 ? "" : Name(i - 1));
    }
    const auto graph = MustBuild(PlanJson(nodes, Name(kLength - 1)));
    REQUIRE(graph->nodes.size() == kLength);
    CHECK(graph->topology.sources.size() == 1);
    bool in_order = true;
    for (std::size_t i = 0; i < kLength; ++i) {
      in_order = in_order && graph->nodes[i].id == "n" + std::to_string(i);
    }
    CHECK(in_order);
  }
}

TEST_CASE("a plan of 1,000,000 nodes side by side is built, one of more is refused") {
  std::string nodes;
  std::string all;
  for (std::size_t i = 0; i + 1 < kMaxNodes; ++i) {
    nodes += Node(i, "") + ",";
    if (i != 0) all += ",";
    all += Name(i);
  }
  {
    const auto graph = MustBuild(PlanJson(nodes + Node(kMaxNodes - 1, all), Name(kMaxNodes - 1)));
    CHECK(graph->nodes.size() == kMaxNodes);
    CHECK(graph->topology.required.back() == kMaxNodes - 1);
  }
  Problems problems;
  Build(PlanJson(nodes + Node(kMaxNodes, "") + "," + Node(kMaxNodes + 1, ""), Name(0)), problems);
  CheckErrors(problems, {{"/nodes", "1000000 nodes, not 1000001"}});
}

TEST_CASE("a cycle of 100,000 nodes is one problem, cut in the middle") {
  constexpr std::size_t kLength = 100'000;
  std::string nodes = Node(0, Name(kLength - 1));
  for (std::size_t i = 1; i < kLength; ++i) nodes += "," + Node(i, Name(i - 1));
  Problems problems;
  CHECK(Build(PlanJson(nodes, Name(0)), problems) == nullptr);
  CheckErrors(problems, {{"/nodes/0/inputs/0", "cycle: n0 -> n1 -> n2"}});
  const std::string& message = problems.all()[0].message;
  CHECK(message.ends_with("-> n99998 -> n99999 -> n0"));
  CHECK(message.find("(99936 more)") != std::string::npos);
}

TEST_CASE("100,000 misspelt names are all told") {
  constexpr std::size_t kCount = 100'000;
  std::string nodes = Node(0, "");
  for (std::size_t i = 1; i < kCount; ++i) nodes += "," + Node(i, "\"m" + std::to_string(i) + "\"");
  Problems problems;
  CHECK(Build(PlanJson(nodes, Name(0)), problems) == nullptr);
  CHECK(problems.error_count() == kCount - 1);
  CHECK(problems.all()[0].message.find("did you mean") != std::string::npos);
}

TEST_CASE("100,000 nodes that share one id are all told") {
  std::string nodes = Node(0, "");
  for (std::size_t i = 1; i < 100'000; ++i) nodes += "," + Node(0, "");
  Problems problems;
  CHECK(Build(PlanJson(nodes, Name(0)), problems) == nullptr);
  CHECK(problems.error_count() == 100'000);
}

}  // namespace
}  // namespace rankd
