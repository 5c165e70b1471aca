// Expressions in a plan: where they stand, and where their problems are told.
#include <string>

#include <doctest/doctest.h>

#include "engine/graph/graph.h"
#include "tests/graph/fake_tasks.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

std::string WithNode(std::string_view op, std::string_view params, std::string_view more = "") {
  return PlanJson(R"({"node_id":"s","op":"any"},{"node_id":"e","op":")" + std::string(op) +
                      R"(","inputs":["s"],"params":)" + std::string(params) + "}",
                  R"("e")", more);
}

struct Case {
  std::string json;
  std::vector<ExpectedProblem> errors;
};

void CheckCases(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    CAPTURE(one.json);
    Problems problems;
    Build(one.json, problems);
    CheckErrors(problems, one.errors);
  }
}

TEST_CASE("expressions are compiled into the node's slots") {
  const auto graph =
      MustBuild(WithNode("set", R"j({"out_key":2002,"expr":"id * coalesce(P.weight, 0.5)"})j"));
  REQUIRE(graph->nodes.size() == 2);
  REQUIRE(graph->nodes[1].expressions.size() == 1);
  CHECK(TypeOf(*graph->nodes[1].expressions[0]) == ValueType::kFloat);
  MustBuild(WithNode("set", R"({"out_key":"score","expr":{"op":"key_ref","key_id":1}})"));
  MustBuild(WithNode("keep", R"({"pred":"score > 1"})"));
}

TEST_CASE("problems of an expression stand at the param, or inside the IR") {
  CheckCases({
      {WithNode("set", R"({"out_key":"score","expr":"scor + 1"})"),
       {{"/nodes/1/params/expr", "did you mean \"score\"?"}}},
      {WithNode("set", R"({"out_key":"n","expr":"score + 1"})"),
       {{"/nodes/1/params/expr", "key \"n\" (int)"}}},
      {WithNode("set", R"({"out_key":"n","expr":7})"), {{"/nodes/1/params/expr", "not as 7"}}},
      {WithNode("set", R"({"out_key":"n","expr":{"op":"neg","a":{"op":"key_ref","key_id":99}}})"),
       {{"/nodes/1/params/expr/a/key_id", "99"}}},
      {WithNode("set", R"({"out_key":"n"})"), {{"/nodes/1/params", "\"expr\" or \"expr_id\""}}},
      {WithNode("set", R"({"expr":"1"})"), {{"/nodes/1/params", "\"out_key\""}}},
      // Of what type a misspelt key would be is not known: any will do.
      {WithNode("set", R"({"out_key":"scor","expr":"text"})"),
       {{"/nodes/1/params/out_key", "did you mean \"score\"?"}}},
      {WithNode("set", R"({"out_key":"id","expr":"tex"})"),
       {{"/nodes/1/params/out_key", "never written"},
        {"/nodes/1/params/expr", "did you mean \"text\"?"}}},
      {WithNode("keep", R"({"pred":"n + 1"})"), {{"/nodes/1/params/pred", "predicate (bool)"}}},
      {WithNode("set", R"({"out_key":"n","expr":"gone"})"),
       {{"/nodes/1/params/expr", "\"gone\" is blocked"}}},
      {WithNode("set", R"({"out_key":"n","expr":"P.gone_param"})"),
       {{"/nodes/1/params/expr", "\"gone_param\" is blocked"}}},
      {PlanJson(R"({"node_id":"s","op":"source","params":{"count":{"expr":"P.limi"}}})", R"("s")"),
       {{"/nodes/0/params/count/expr", "did you mean"}}},
      {PlanJson(R"({"node_id":"s","op":"source","params":{"count":{"expr":"P.weight"}}})",
                R"("s")"),
       {{"/nodes/0/params/count/expr", "param \"count\" (int)"}}},
      {PlanJson(R"({"node_id":"s","op":"source","params":{"count":{"expr":"n"}}})", R"("s")"),
       {{"/nodes/0/params/count/expr", "n"}}},
      {WithNode("choose", R"j({"how":"a","out":{"n":"sum(score)"}})j"),
       {{"/nodes/1/params/out/n", "key \"n\" (int)"}}},
  });
}

TEST_CASE("a number may be a scalar expression") {
  const auto graph = MustBuild(PlanJson(
      R"({"node_id":"s","op":"source","params":{"count":{"expr":"P.limit","other":null}}})",
      R"("s")"));
  CHECK(graph->nodes[0].expressions.size() == 1);
}

constexpr std::string_view kTables =
    R"(,"expr_table":{"e0":{"op":"key_ref","key_id":2002},"absent":null},
        "pred_table":{"p0":{"op":"cmp","cmp":">=","a":{"op":"key_ref","key_id":2002},
                            "b":{"op":"const_number","value":0.5}}})";

TEST_CASE("nodes share the entries of the tables") {
  MustBuild(WithNode("keep", R"({"pred_id":"p0"})", kTables));
  const auto graph = MustBuild(PlanJson(R"({"node_id":"s","op":"any"},
          {"node_id":"a","op":"set","inputs":["s"],"params":{"out_key":"score","expr_id":"e0"}},
          {"node_id":"b","op":"set","inputs":["a"],"params":{"out_key":2002,"expr_id":"e0"}})",
                                        R"("b")", kTables));
  CHECK(graph->nodes[1].expressions[0] == graph->nodes[2].expressions[0]);
}

TEST_CASE("ids of the tables are resolved, and a wrong use is told where it is") {
  CheckCases({
      {WithNode("set", R"({"out_key":"score","expr_id":"e1"})", kTables),
       {{"/nodes/1/params/expr_id", "no entry \"e1\" in \"expr_table\", did you mean \"e0\"?"}}},
      {WithNode("set", R"({"out_key":"score","expr_id":"absent"})", kTables),
       {{"/nodes/1/params/expr_id", "no entry"}}},
      {WithNode("set", R"({"out_key":"score","expr_id":"e0"})"),
       {{"/nodes/1/params/expr_id", "no entry"}}},
      {WithNode("set", R"({"out_key":"score","expr_id":0})", kTables),
       {{"/nodes/1/params/expr_id", "not 0"}}},
      {WithNode("keep", R"({"pred_id":"e0"})", kTables),
       {{"/nodes/1/params/pred_id", "no entry \"e0\" in \"pred_table\""}}},
      {WithNode("set", R"({"out_key":"n","expr_id":"e0"})", kTables),
       {{"/nodes/1/params/expr_id", "key \"n\" (int)"}}},
      {WithNode("set", R"({"out_key":"score","expr":"1.5","expr_id":"e0"})", kTables),
       {{"/nodes/1/params/expr_id", "only one of"}}},
      {WithNode("set", R"({"out_key":"score","expr":"scor","expr_id":"e9"})", kTables),
       {{"/nodes/1/params/expr_id", "only one of"},
        {"/nodes/1/params/expr_id", "no entry"},
        {"/nodes/1/params/expr", "did you mean \"score\"?"}}},
  });
}

TEST_CASE("each entry of the tables is checked once, used or not") {
  const std::string broken =
      R"(,"expr_table":{"bad":{"op":"key_ref","key_id":99},"text":"n + 1","gone":{"op":"param_ref","param_id":1}},
         "pred_table":{"number":{"op":"const_number","value":1}})";
  Problems problems;
  Build(WithNode("set", R"({"out_key":"n","expr_id":"bad"})", broken), problems);
  CheckErrors(problems, {{"/expr_table/bad/key_id", "99"},
                         {"/expr_table/text", "IR form"},
                         {"/expr_table/gone/param_id", "1"},
                         {"/pred_table/number", "predicate (bool)"}});
}

TEST_CASE("deprecated keys and params in expressions are warned of once a plan") {
  Problems problems;
  CHECK(Build(PlanJson(R"({"node_id":"s","op":"any"},
          {"node_id":"a","op":"set","inputs":["s"],"params":{"out_key":"n","expr":"old + P.old_param"}},
          {"node_id":"b","op":"set","inputs":["a"],"params":{"out_key":"n","expr":"old + P.old_param"}})",
                       R"("b")"),
              problems));
  CheckErrors(problems, {});
  CheckWarnings(problems, {{"/nodes/1/params/expr", "key \"old\" is deprecated"},
                           {"/nodes/1/params/expr", "param \"old_param\" is deprecated"}});
}

}  // namespace
}  // namespace rankd
