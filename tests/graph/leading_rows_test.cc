// A sort before a take puts those rows in order that the take looks at, and only where nobody else
// sees the rows.
#include <string>

#include <doctest/doctest.h>

#include "tests/graph/explained.h"

namespace rankd {
namespace {

/// Whether the node "sort" of a plan does less than a sort elsewhere: it costs less a row.
bool Selects(const std::string& nodes, const std::string& outputs) {
  const auto cost_of = [](const Explained& plan) {
    for (const GraphNode& node : plan.graph->nodes) {
      if (node.id == "sort") return node.cpu_task->cost().ns_per_row;
    }
    FAIL("no node \"sort\"");
    return 0.0;
  };
  const std::string alone = Source("s") + R"(,{"node_id":"sort","op":"sort","inputs":["s"],
      "params":{"key":"id"}})";
  return cost_of(ExplainPlan(nodes, outputs)) < cost_of(ExplainPlan(alone, R"("sort")"));
}

std::string SortedInto(const std::string& taker, const std::string& sort_params = R"("key":"id")") {
  return Source("s") + R"(,{"node_id":"sort","op":"sort","inputs":["s"],"params":{)" + sort_params +
         "}}," + taker;
}

std::string TakeOf(const std::string& params, const std::string& more = "") {
  return R"({"node_id":"take","op":"take","inputs":["sort"],"params":{)" + params + "}" + more +
         "}";
}

TEST_CASE("a sort whose rows one take looks at selects them") {
  const std::string take = TakeOf(R"("count":10,"offset":5)");
  CHECK(Selects(SortedInto(take), R"("take")"));
  CHECK(Selects(SortedInto(take, R"("keys":[{"key":"id","order":"desc"}])"), R"("take")"));
  SUBCASE("but not where the rows are seen elsewhere") {
    CHECK_FALSE(Selects(SortedInto(take), R"("take","sort")"));
    CHECK_FALSE(Selects(
        SortedInto(take +
                   R"(,{"node_id":"t2","op":"take","inputs":["sort"],"params":{"count":1}})"),
        R"("take","t2")"));
  }
  SUBCASE("nor where how many is not known, or the take may pass its input on") {
    CHECK_FALSE(Selects(SortedInto(TakeOf(R"x("count":{"expr":"count()"})x")), R"("take")"));
    CHECK_FALSE(Selects(SortedInto(TakeOf(R"("count":1)", R"(,"on_error":"pass")")), R"("take")"));
  }
  SUBCASE("nor with several keys") {
    CHECK_FALSE(Selects(SortedInto(take, R"("keys":[{"key":"id"},{"key":"id"}])"), R"("take")"));
  }
}

}  // namespace
}  // namespace rankd
