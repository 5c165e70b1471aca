// Plans that are wrong, and all that is said of each.
#include <string>

#include <doctest/doctest.h>

#include "engine/graph/graph.h"
#include "tests/graph/fake_tasks.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

struct NodesCase {
  std::string_view nodes;
  std::string_view outputs;
  std::vector<ExpectedProblem> errors;
};

void CheckCases(std::span<const NodesCase> cases) {
  for (const NodesCase& one : cases) {
    CAPTURE(std::string(one.nodes));
    Problems problems;
    const auto graph = Build(PlanJson(one.nodes, one.outputs), problems);
    CHECK((graph == nullptr) == problems.has_errors());
    CheckErrors(problems, one.errors);
  }
}

TEST_CASE("names that lead nowhere are told with the nearest there is") {
  const NodesCase cases[] = {
      {R"({"node_id":"s","op":"sorce","params":{"count":1}})",
       R"("s")",
       {{"/nodes/0/op", "unknown op \"sorce\", did you mean \"source\"?"}}},
      {R"({"node_id":"s","op":"a::b::pass"})", R"("s")", {{"/nodes/0/op", "unknown op"}}},
      {R"({"node_id":"source_1","op":"any"},{"node_id":"t","op":"pass","inputs":["sorce_1"]})",
       R"("t")",
       {{"/nodes/1/inputs/0", "did you mean \"source_1\"?"}}},
      {R"({"node_id":"s","op":"any"})", R"("s","zz")", {{"/outputs/1", "names no node: \"zz\""}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"m","op":"merge","inputs":["s"],"params":{"rhs":"S"}})",
       R"("m")",
       {{"/nodes/1/params/rhs", "did you mean \"s\"?"}}},
      {R"({"node_id":"s","op":"any","inputs":["$inn"]})",
       R"("s")",
       {{"/nodes/0/inputs/0", "did you mean \"$in\"?"}}},
      {R"({"node_id":"s","op":"any","inputs":["$carry"]})",
       R"("s")",
       {{"/nodes/0/inputs/0", "the body of a loop"}}},
      {R"({"node_id":"s","op":"fetch","params":{"endpoint":"redis_defualt"}})",
       R"("s")",
       {{"/nodes/0/params/endpoint", "did you mean \"redis_default\"?"}}},
      {R"({"node_id":"s","op":"fetch","params":{"endpoint":7}})",
       R"("s")",
       {{"/nodes/0/params/endpoint", "not 7"}}},
  };
  CheckCases(cases);
}

TEST_CASE("a node id used twice is told at both places, three times at three") {
  Problems twice;
  Build(PlanJson(R"({"node_id":"s","op":"any"},{"node_id":"s","op":"any"})", R"("s")"), twice);
  CheckErrors(twice, {{"/nodes/0/node_id", "/nodes/1"}, {"/nodes/1/node_id", "/nodes/0"}});
  Problems thrice;
  Build(PlanJson(R"({"node_id":"s","op":"any"},{"node_id":"t","op":"any"},
                    {"node_id":"s","op":"any"},{"node_id":"s","op":"any"})",
                 R"("s","t")"),
        thrice);
  CheckErrors(thrice, {{"/nodes/0/node_id", "\"s\""},
                       {"/nodes/2/node_id", "\"s\""},
                       {"/nodes/3/node_id", "\"s\""}});
}

TEST_CASE("the number of inputs is that of the op") {
  const NodesCase cases[] = {
      {R"({"node_id":"s","op":"source","params":{"count":1},"inputs":["s"]})",
       R"("s")",
       {{"/nodes/0/inputs", "takes 0 inputs, not 1"}, {"/nodes/0/inputs/0", "cycle: s -> s"}}},
      {R"({"node_id":"p","op":"pass"})", R"("p")", {{"/nodes/0/inputs", "takes 1 input, not 0"}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"f","op":"fetch","params":{"endpoint":"ep_0001"},"inputs":["s","s"]})",
       R"("f")",
       {{"/nodes/1/inputs", "takes 0 or 1 input, not 2"}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"m","op":"merge","inputs":["s"]})",
       R"("m")",
       {{"/nodes/1/inputs", "takes 2 or more inputs, not 1"}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"m","op":"pair","inputs":["s","s"],"params":{"rhs":"s"}})",
       R"("m")",
       {{"/nodes/1/inputs", "takes 2 inputs, not 3"}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"m","op":"merge","inputs":["s"],"params":{"rhs":7}})",
       R"("m")",
       {{"/nodes/1/params/rhs", "a node id, not 7"}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"m","op":"pass","inputs":["s"],"params":{"rhs":"s"}})",
       R"("m")",
       {{"/nodes/1/params/rhs", "has no param \"rhs\""}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"m","op":"pass","inputs":"s"})",
       R"("m")",
       {{"/nodes/1/inputs", "an array"}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"m","op":"merge","inputs":["s"],"params":7})",
       R"("m")",
       {{"/nodes/1/params", "an object"}}},
  };
  CheckCases(cases);
}

TEST_CASE("a cycle is told with its nodes in the direction of the data") {
  const NodesCase cases[] = {
      {R"({"node_id":"a","op":"pass","inputs":["c"]},{"node_id":"b","op":"pass","inputs":["a"]},
          {"node_id":"c","op":"pass","inputs":["b"]})",
       R"("c")",
       {{"/nodes/0/inputs/0", "cycle: a -> b -> c -> a"}}},
      // What is behind a cycle is not on it; two knots are two problems; so is one through rhs.
      {R"({"node_id":"s","op":"any"},{"node_id":"t","op":"pass","inputs":["y"]},
          {"node_id":"x","op":"merge","inputs":["s","y"]},{"node_id":"y","op":"pass","inputs":["x"]},
          {"node_id":"z","op":"merge","inputs":["y"],"params":{"rhs":"z"}})",
       R"("t","z")",
       {{"/nodes/2/inputs/1", "cycle: x -> y -> x"}, {"/nodes/4/params/rhs", "cycle: z -> z"}}},
      // A cycle among nodes that nothing needs is one all the same.
      {R"({"node_id":"s","op":"any"},{"node_id":"a","op":"pass","inputs":["b"]},
          {"node_id":"b","op":"pass","inputs":["a"]})",
       R"("s")",
       {{"/nodes/1/inputs/0", "cycle: a -> b -> a"}}},
  };
  CheckCases(cases);
}

TEST_CASE("params are checked one by one") {
  const NodesCase cases[] = {
      {R"({"node_id":"s","op":"source"})", R"("s")", {{"/nodes/0/params", "param \"count\""}}},
      {R"({"node_id":"s","op":"source","params":{"count":null}})",
       R"("s")",
       {{"/nodes/0/params", "param \"count\""}}},
      {R"({"node_id":"s","op":"source","params":{"count":0,"usr":true,"trace":null,"user":1}})",
       R"("s")",
       {{"/nodes/0/params/count", "from 1 to 100 or {\"expr\": …}, not 0"},
        {"/nodes/0/params/usr", "did you mean \"user\"?"},
        {"/nodes/0/params/user", "true or false, not 1"}}},
      {R"({"node_id":"s","op":"source","params":{"count":1.0}})",
       R"("s")",
       {{"/nodes/0/params/count", "not 1.0"}}},
      {R"({"node_id":"s","op":"source","params":{"count":{"exp":"1"}}})",
       R"("s")",
       {{"/nodes/0/params/count", "not an object"}}},
      {R"({"node_id":"s","op":"source","params":{"count":{"expr":"1","x":2}}})",
       R"("s")",
       {{"/nodes/0/params/count/x", "unknown field"}}},
      {R"({"node_id":"s","op":"source","params":{"count":{"expr":7}}})",
       R"("s")",
       {{"/nodes/0/params/count/expr", "not as 7"}}},
      {R"({"node_id":"s","op":"source","params":{"count":1,"trace":7}})",
       R"("s")",
       {{"/nodes/0/params/trace", "a string"}}},
      {R"({"node_id":"f","op":"fetch"})", R"("f")", {{"/nodes/0/params", "\"endpoint\""}}},
      {R"({"node_id":"f","op":"fetch","params":{"endpoint":"ep_0001","fields":["score","scor",7,"id","kept","gone",2002,null]}})",
       R"("f")",
       {{"/nodes/0/params/fields/1", "unknown key \"scor\", did you mean \"score\"?"},
        {"/nodes/0/params/fields/2", "no key has the registry id 7"},
        {"/nodes/0/params/fields/3", "never written"},
        {"/nodes/0/params/fields/4", "\"kept\" may not be written"},
        {"/nodes/0/params/fields/5", "\"gone\" is blocked"},
        {"/nodes/0/params/fields/7", "not as null"}}},
      {R"({"node_id":"f","op":"fetch","params":{"endpoint":"ep_0001","fields":"score"}})",
       R"("f")",
       {{"/nodes/0/params/fields", "an array of keys"}}},
      {R"({"node_id":"f","op":"fetch","params":{"endpoint":"ep_0001","key":"u:{idd}"}})",
       R"("f")",
       {{"/nodes/0/params/key", "unknown key \"idd\", did you mean \"id\"?"}}},
      {R"({"node_id":"f","op":"fetch","params":{"endpoint":"ep_0001","key":["u"]}})",
       R"("f")",
       {{"/nodes/0/params/key", "a key template"}}},
      {R"({"node_id":"f","op":"fetch","params":{"endpoint":"ep_0001","key":"{gone}"}})",
       R"("f")",
       {{"/nodes/0/params/key", "blocked"}}},
      {R"({"node_id":"s","op":"any"},{"node_id":"c","op":"choose","inputs":["s"],
           "params":{"how":"c","order":7,"by":"iid","deep":[{"key":"score"},{"key":"scre"}]}})",
       R"("c")",
       {{"/nodes/1/params/how", "\"a\" or \"b\", not the string \"c\""},
        {"/nodes/1/params/order", "\"up\" or \"down\", not 7"},
        {"/nodes/1/params/by", "did you mean \"id\"?"},
        {"/nodes/1/params/deep/1/key", "did you mean \"score\"?"}}},
      {R"j({"node_id":"s","op":"any"},{"node_id":"c","op":"choose","inputs":["s"],
           "params":{"how":"a","out":{"scor":"count()","id":"count()","1":"count()","77":"1","n":7,"2002":"count()"}}})j",
       R"("c")",
       {{"/nodes/1/params/out/scor", "did you mean \"score\"?"},
        {"/nodes/1/params/out/id", "never written"},
        {"/nodes/1/params/out/1", "never written"},
        {"/nodes/1/params/out/77", "no key has the registry id 77"},
        {"/nodes/1/params/out/n", "not as 7"}}},
      // Null counts as absent, also where no param is known.
      {R"({"node_id":"s","op":"any","params":{"nothing":null}})", R"("s")", {}},
      {R"({"node_id":"s","op":"any","params":{"a/b":1}})",
       R"("s")",
       {{"/nodes/0/params/a~1b", "has no param"}}},
      {R"({"node_id":"s","op":"any","params":{"timeout_ms":1}})",
       R"("s")",
       {{"/nodes/0/params/timeout_ms", "it stands beside \"params\", not in it"}}},
  };
  CheckCases(cases);
}

TEST_CASE("a node that nothing needs is checked as well") {
  Problems problems;
  Build(PlanJson(R"({"node_id":"s","op":"any"},{"node_id":"t","op":"source"})", R"("s")"),
        problems);
  CheckErrors(problems, {{"/nodes/1/params", "count"}});
}

TEST_CASE("a broken node does not make those that name it look broken") {
  Problems problems;
  Build(
      PlanJson(R"({"node_id":"s","op":"source"},{"node_id":"b d","op":"any"},{"node_id":"n","op":7},
                    {"node_id":"l","op":"loop"},
                    {"node_id":"p","op":"pair","inputs":["s","b d"],"params":{"select":["n"]}},
                    {"node_id":"q","op":"pair","inputs":["n","l"],"params":{"select":["n"]}})",
               R"("p","q","b d")"),
      problems);
  CheckErrors(problems, {{"/nodes/0/params", "count"},
                         {"/nodes/1/node_id", "\"b d\""},
                         {"/nodes/2/op", "a string, not 7"},
                         {"/nodes/3/op", "unknown op"}});
  CheckWarnings(problems, {});
}

TEST_CASE("without nodes no output is blamed for naming none") {
  Problems problems;
  CHECK(Build(R"({"schema_version":1,"plan_name":"p","nodes":7,"outputs":["s"]})", problems) ==
        nullptr);
  CheckErrors(problems, {{"/nodes", "an array"}});
}

TEST_CASE("a task's view of its inputs' keys is asked in the order of the data") {
  // The left of the last pair carries n through two nodes, declared after it.
  Problems problems;
  Build(
      PlanJson(
          R"({"node_id":"p","op":"pair","inputs":["a"],"params":{"rhs":"s","select":["score","n"]}},
                    {"node_id":"a","op":"pass","inputs":["b"]},
                    {"node_id":"b","op":"fetch","params":{"endpoint":"ep_0001","fields":["n"]}},
                    {"node_id":"s","op":"any"})",
          R"("p")"),
      problems);
  CheckErrors(problems, {{"/nodes/0/params/select/1", "carries \"n\" already"}});
}

TEST_CASE("use of a deprecated key is warned of once, of a blocked one refused each time") {
  const auto fields = [](std::string_view id, std::string_view field) {
    return R"({"node_id":")" + std::string(id) +
           R"(","op":"fetch","params":{"endpoint":"ep_0001","fields":[")" + std::string(field) +
           R"("]}})";
  };
  Problems old;
  CHECK(Build(PlanJson(fields("a", "old") + "," + fields("b", "old"), R"("a","b")"), old));
  CheckErrors(old, {});
  CheckWarnings(old, {{"/nodes/0/params/fields/0", "\"old\" is deprecated"}});
  Problems gone;
  Build(PlanJson(fields("a", "gone") + "," + fields("b", "gone"), R"("a","b")"), gone);
  CheckErrors(gone,
              {{"/nodes/0/params/fields/0", "blocked"}, {"/nodes/1/params/fields/0", "blocked"}});
}

}  // namespace
}  // namespace rankd
