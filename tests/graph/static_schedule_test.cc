#include "engine/graph/static_schedule.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/graph/fake_tasks.h"

namespace rankd {
namespace {

std::string Node(const std::string& id, const std::string& op, const std::string& inputs,
                 const std::string& more = "") {
  return R"({"node_id":")" + id + R"(","op":")" + op + R"(","inputs":[)" + inputs + "]" + more +
         "}";
}

/// Ids in the order of the schedule.
std::vector<std::string> OrderOf(const Graph& graph) {
  std::vector<std::string> order;
  const StaticSchedule& schedule = graph.layout.schedule;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    order.push_back(graph.nodes[Index(schedule[i].node)].id);
  }
  return order;
}

std::vector<std::string> DropsAfter(const Graph& graph, std::size_t step) {
  std::vector<std::string> ids;
  for (const NodeId node : graph.layout.schedule.DropsOf(step)) {
    ids.push_back(graph.nodes[Index(node)].id);
  }
  return ids;
}

TEST_CASE("what has become ready last runs first, as in a run; rows go with their last consumer") {
  using Ids = std::vector<std::string>;
  const auto graph = MustBuild(PlanJson(
      Node("a", "any", "") + "," + Node("b", "any", "") + "," + Node("c", "pass", R"("a")") + "," +
          Node("d", "any", R"("a","b","b")") + "," + Node("e", "any", R"("c","d","c")"),
      R"("e","d")"));
  const StaticSchedule& schedule = graph->layout.schedule;
  CHECK(OrderOf(*graph) == Ids{"a", "c", "b", "d", "e"});
  CHECK(DropsAfter(*graph, 0).empty());
  CHECK(DropsAfter(*graph, 1).empty());  // d wants a too
  CHECK(DropsAfter(*graph, 2).empty());
  CHECK(DropsAfter(*graph, 3) == Ids{"a", "b"});  // b, once
  CHECK(DropsAfter(*graph, 4) == Ids{"c"});       // d is an output
  const std::span<const InputRef> of_d = schedule.InputsOf(3);
  REQUIRE(of_d.size() == 3);
  CHECK(of_d[0].last());
  CHECK_FALSE(of_d[1].last());  // named twice: neither may take it
  CHECK_FALSE(of_d[2].last());
  CHECK(schedule.EdgesBefore(0) == 0);
  CHECK(schedule.EdgesBefore(1) == 2);
  CHECK(schedule.EdgesBefore(2) == 4);
  CHECK(schedule.EdgesBefore(5) == 7);
}

TEST_CASE("a graph has no schedule where some node may wait") {
  const std::string source = Node("a", "any", "");
  const auto schedule_of = [&](const std::string& node) {
    return MustBuild(PlanJson(source + "," + node, R"("z")"))->layout.schedule.size();
  };
  CHECK(schedule_of(Node("z", "pass", R"("a")")) == 2);
  CHECK(schedule_of(Node("z", "fetch", R"("a")",
                         R"(,"params":{"endpoint":"redis_default","key":"k:{id}"})")) == 0);
  CHECK(schedule_of(Node("z", "pass", R"("a")", R"(,"on_error":"empty")")) == 0);
  CHECK(schedule_of(Node("z", "pass", R"("a")", R"(,"retry":{"max_attempts":2})")) == 0);
}

}  // namespace
}  // namespace rankd
