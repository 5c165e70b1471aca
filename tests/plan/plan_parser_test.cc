#include <string>

#include <doctest/doctest.h>

#include "engine/plan/plan.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

std::unique_ptr<Plan> Parse(std::string_view json, Problems& problems,
                            std::string_view expected_name = "") {
  return ParsePlan(MustParse(json), Schema(), expected_name, problems);
}

/// A plan with `node` as its only node's fields after node_id, and `more` as further fields.
std::string PlanWith(std::string_view node, std::string_view more = "") {
  return R"({"schema_version":1,"plan_name":"p","nodes":[{"node_id":"s")" + std::string(node) +
         R"(}],"outputs":["s"])" + std::string(more) + "}";
}

constexpr std::string_view kCapability = "cap.rfc.0001.extensions_capabilities.v1";

TEST_CASE("a plan is read as it was written") {
  Problems problems;
  const auto plan = Parse(R"({
    "schema_version": 1, "plan_name": "mixed_1", "keys": {"score": "float"},
    "params": {"w": {"type": "float", "default": 0.5}}, "extensions": null,
    "built_by": {"tool": "x"}, "source_files": ["a"], "source_spans": 7,
    "expr_table": {"e": {"op": "const_null"}}, "pred_table": null,
    "nodes": [
      {"node_id": "A.b:c-9_", "op": "core::viewer", "params": {"trace": "label"}, "inputs": null,
       "source_span": [1, 2], "timeout_ms": 0, "retry": null, "on_error": null},
      {"node_id": "t", "op": "test::sleep", "inputs": ["A.b:c-9_", "A.b:c-9_"], "params": null,
       "timeout_ms": 9007199254740992, "effect": true}],
    "outputs": ["t", "A.b:c-9_", "t"]})",
                          problems, "mixed_1");
  CheckErrors(problems, {});
  REQUIRE(plan);
  CHECK(plan->name == "mixed_1");
  CHECK(plan->schema->FindKey("score"));
  CHECK(plan->schema->FindParam("w"));
  REQUIRE(plan->nodes.size() == 2);
  const PlanNode& viewer = plan->nodes[0];
  CHECK(viewer.id == "A.b:c-9_");
  CHECK(viewer.op == "viewer");
  CHECK(viewer.trace == "label");
  CHECK(viewer.inputs.empty());
  CHECK(viewer.timeout_ms == 0);
  CHECK(!viewer.effect);
  CHECK(viewer.params != nullptr);
  const PlanNode& sleep = plan->nodes[1];
  CHECK(sleep.op == "sleep");
  CHECK(sleep.inputs.size() == 2);
  CHECK(sleep.timeout_ms == std::int64_t{1} << 53);
  CHECK(sleep.effect);
  CHECK(sleep.params == nullptr);
  CHECK(sleep.index == 1);
  CHECK(plan->outputs == std::vector<std::string_view>{"t", "A.b:c-9_", "t"});
  CHECK(plan->output_indices == std::vector<std::size_t>{0, 1, 2});
  CHECK(plan->expr_table != nullptr);
  CHECK(plan->pred_table == nullptr);
}

TEST_CASE("one namespace of identifier characters is taken off an op") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"viewer", "viewer"},          {"core::viewer", "viewer"},     {"_9::x", "x"},
      {"a::b::viewer", "b::viewer"}, {"::viewer", "::viewer"},       {"a-b::viewer", "a-b::viewer"},
      {"core::", "core::"},          {"core:viewer", "core:viewer"},
  };
  for (const auto& [written, op] : cases) {
    CAPTURE(std::string(written));
    Problems problems;
    const auto plan = Parse(PlanWith(R"(,"op":")" + std::string(written) + "\""), problems);
    CheckErrors(problems, {});
    CHECK(std::string(plan->nodes.at(0).op) == std::string(op));
  }
}

TEST_CASE("every field of a plan is checked and every problem is told") {
  struct Case {
    std::string json;
    std::vector<ExpectedProblem> errors;
  };
  const std::string long_id(65, 'x');
  const std::string sound_node = R"("nodes":[{"node_id":"s","op":"x"}],"outputs":["s"])";
  const std::vector<Case> cases = {
      {"{}",
       {{"/schema_version", "missing"},
        {"/plan_name", "missing"},
        {"/nodes", "missing"},
        {"/outputs", "missing"}}},
      {R"({"schema_version":2,"plan_name":"p",)" + sound_node + "}",
       {{"/schema_version", "must be 1, not 2"}}},
      {R"({"schema_version":"1","plan_name":"p",)" + sound_node + "}",
       {{"/schema_version", "the string \"1\""}}},
      {R"({"schema_version":1,"plan_name":"a-b",)" + sound_node + "}", {{"/plan_name", "\"a-b\""}}},
      {R"({"schema_version":1,"plan_name":7,)" + sound_node + "}",
       {{"/plan_name", "a string, not 7"}}},
      {R"({"schema_version":1,"plan_name":"p","nodes":[],"outputs":[]})",
       {{"/nodes", "at least one"}, {"/outputs", "at least one"}}},
      {R"({"schema_version":1,"plan_name":"p","nodes":{},"outputs":"s"})",
       {{"/nodes", "an array"}, {"/outputs", "an array"}}},
      {R"({"schema_version":1,"plan_name":"p","nodes":[7,null,"x"],"outputs":["s",7,""]})",
       {{"/nodes/0", "not 7"},
        {"/nodes/1", "not null"},
        {"/nodes/2", "not the string"},
        {"/outputs/1", "not 7"},
        {"/outputs/2", "the string \"\""}}},
      {R"({"schema_version":1,"plan_name":"p","nods":1,"output":[],)" + sound_node + "}",
       {{"/nods", "did you mean \"nodes\"?"}, {"/output", "did you mean \"outputs\"?"}}},
      {PlanWith(R"(,"op":"x","expr_table":{})"), {{"/nodes/0/expr_table", "unknown field"}}},
      {PlanWith(R"(,"op":"x","input":[])"), {{"/nodes/0/input", "did you mean \"inputs\"?"}}},
      {PlanWith(R"(,"op":"x","inptus":[],"foo":null)"),
       {{"/nodes/0/inptus", "did you mean \"inputs\"?"}}},
      {PlanWith(""), {{"/nodes/0/op", "missing"}}},
      {PlanWith(R"(,"op":"")"), {{"/nodes/0/op", "not be empty"}}},
      {PlanWith(R"(,"op":7)"), {{"/nodes/0/op", "a string, not 7"}}},
      {R"({"schema_version":1,"plan_name":"p","nodes":[{"op":"x"},{"node_id":"","op":"x"},
           {"node_id":"a b","op":"x"},{"node_id":")" +
           long_id + R"(","op":"x"},{"node_id":"é","op":"x"}],"outputs":["s"]})",
       {{"/nodes/0/node_id", "missing"},
        {"/nodes/1/node_id", "1 to 64"},
        {"/nodes/2/node_id", "\"a b\""},
        {"/nodes/3/node_id", "1 to 64"},
        {"/nodes/4/node_id", "1 to 64"}}},
      {PlanWith(R"(,"op":"x","inputs":"s")"), {{"/nodes/0/inputs", "an array"}}},
      {PlanWith(R"(,"op":"x","inputs":[null,7,"ok",""])"),
       {{"/nodes/0/inputs/0", "not null"},
        {"/nodes/0/inputs/1", "not 7"},
        {"/nodes/0/inputs/3", "the string \"\""}}},
      {PlanWith(R"(,"op":"x","params":[])"), {{"/nodes/0/params", "an object, not an array"}}},
      {PlanWith(R"(,"op":"x","params":{"trace":7})"),
       {{"/nodes/0/params/trace", "a string, not 7"}}},
      {PlanWith(R"(,"op":"x","timeout_ms":-1)"), {{"/nodes/0/timeout_ms", "from 0 to"}}},
      {PlanWith(R"(,"op":"x","timeout_ms":1.5)"), {{"/nodes/0/timeout_ms", "not 1.5"}}},
      {PlanWith(R"(,"op":"x","timeout_ms":9007199254740993)"),
       {{"/nodes/0/timeout_ms", "from 0 to 9007199254740992"}}},
      {PlanWith(R"(,"op":"x","effect":1)"), {{"/nodes/0/effect", "true or false"}}},
      {PlanWith(R"(,"op":"x","retry":7,"on_error":"pas")"),
       {{"/nodes/0/retry", "must be an object, not 7"},
        {"/nodes/0/on_error", "did you mean \"pass\""}}},
      {PlanWith(
           R"(,"op":"x","retry":{"max_atempts":3,"backoff_ms":-1,"multiplier":0.5,"jitter":2})"),
       {{"/nodes/0/retry/max_atempts", "did you mean \"max_attempts\""},
        {"/nodes/0/retry/max_attempts", "is missing"},
        {"/nodes/0/retry/backoff_ms", "from 0 to"},
        {"/nodes/0/retry/multiplier", "a number from 1.0 to 1000000.0, not 0.5"},
        {"/nodes/0/retry/jitter", "a number from 0.0 to 1.0, not 2"}}},
      {PlanWith(R"(,"op":"x","retry":{"max_attempts":0,"on":["redis_timout",7,"cancelled"]})"),
       {{"/nodes/0/retry/max_attempts", "from 1 to"},
        {"/nodes/0/retry/on/0", "did you mean \"redis_timeout\""},
        {"/nodes/0/retry/on/1", "an error code must be a string, not 7"},
        {"/nodes/0/retry/on/2", "ends the whole request"}}},
      {PlanWith(R"(,"op":"core::for_each","params":{"as":"2","body":[]})"),
       {{"/nodes/0/params/as", "the loop variable \"2\""},
        {"/nodes/0/params/body", "must be an object of \"nodes\" and \"outputs\""}}},
      {PlanWith(
           R"(,"op":"try","params":{"catch":[{"code":[],"body":{"nodes":[{"node_id":"a b","op":"x"}]}}]})"),
       {{"/nodes/0/params/catch/0/code", "did you mean \"codes\"?"},
        {"/nodes/0/params/catch/0/body/outputs", "missing"},
        {"/nodes/0/params/catch/0/body/nodes/0/node_id", "\"a b\""}}},
      {PlanWith(R"(,"op":"x")", R"(,"keys":[],"params":7,"expr_table":[],"pred_table":"x")"),
       {{"/keys", "an object"},
        {"/params", "an object"},
        {"/expr_table", "an object"},
        {"/pred_table", "an object"}}},
      {PlanWith(R"(,"op":"x")", R"(,"keys":{"k":"flaot"})"), {{"/keys/k", "flaot"}}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.json);
    Problems problems;
    Parse(one.json, problems);
    CheckErrors(problems, one.errors);
  }
}

TEST_CASE("a document that is no object is no plan") {
  for (const std::string_view json : {"[]", "7", "null", "\"plan\""}) {
    Problems problems;
    CHECK(Parse(json, problems) == nullptr);
    CheckErrors(problems, {{"", "a plan must be an object"}});
  }
}

TEST_CASE("a plan loaded by name must have that name") {
  Problems problems;
  Parse(PlanWith(R"(,"op":"x")"), problems, "q");
  CheckErrors(problems, {{"/plan_name", "must be that of the file, \"q\""}});
}

TEST_CASE("a repeated field is a problem wherever it stands") {
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"k" + std::to_string(i) + "\":1,";
  many += "\"k7\":2}";
  Problems problems;
  Parse(R"({"schema_version":1,"plan_name":"p","plan_name":"q","outputs":["s"],"nodes":[
          {"node_id":"s","op":"x","params":{"rows":[{},{"id":1,"id":2,"id":3}],"a/b":)" +
            many + "}}]}",
        problems);
  CheckErrors(problems, {{"/plan_name", "more than once"},
                         {"/nodes/0/params/rows/1/id", "more than once"},
                         {"/nodes/0/params/a~1b/k7", "more than once"}});
}

TEST_CASE("capabilities are sorted, without repeats, and known to this build") {
  struct Case {
    std::string fields;
    std::vector<ExpectedProblem> errors;
  };
  const std::string cap = '"' + std::string(kCapability) + '"';
  const std::vector<Case> cases = {
      {R"("capabilities_required":[])", {}},
      {"\"capabilities_required\":[" + cap + "]", {}},
      {"\"capabilities_required\":[" + cap + "],\"extensions\":{" + cap + ":{}}", {}},
      {"\"capabilities_required\":[" + cap + "],\"extensions\":{" + cap + ":null}", {}},
      {"\"capabilities_required\":[" + cap + "],\"extensions\":{}", {}},
      {R"("capabilities_required":["cap.x"])", {{"/capabilities_required/0", "\"cap.x\""}}},
      {R"("capabilities_required":["cap.rfc.0001.extensions_capabilities.v2"])",
       {{"/capabilities_required/0", "did you mean"}}},
      {"\"capabilities_required\":[" + cap + "," + cap + "]",
       {{"/capabilities_required/1", "given twice"}}},
      {"\"capabilities_required\":[" + cap + ",\"cap.a\"]",
       {{"/capabilities_required/1", "lacks the capability"},
        {"/capabilities_required/1", "must be sorted"}}},
      {"\"capabilities_required\":{}", {{"/capabilities_required", "an array"}}},
      {"\"capabilities_required\":[7]", {{"/capabilities_required/0", "a string, not 7"}}},
      {"\"extensions\":{" + cap + ":{}}",
       {{"/extensions/cap.rfc.0001.extensions_capabilities.v1", "does not stand in"}}},
      {"\"extensions\":[]", {{"/extensions", "an object"}}},
      {"\"capabilities_required\":[" + cap + "],\"extensions\":{" + cap + ":{\"a\":1}}",
       {{"/extensions/cap.rfc.0001.extensions_capabilities.v1", "absent, null or {}"}}},
      {"\"capabilities_required\":[" + cap + "],\"extensions\":{" + cap + ":[]}",
       {{"/extensions/cap.rfc.0001.extensions_capabilities.v1", "absent, null or {}"}}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.fields);
    Problems problems;
    Parse(PlanWith(R"(,"op":"x")", "," + one.fields), problems);
    CheckErrors(problems, one.errors);
  }
}

TEST_CASE("a capability that this build lacks has a code of its own") {
  Problems problems;
  Parse(PlanWith(R"(,"op":"x")", R"(,"capabilities_required":["cap.rfc.9999.x.v1"])"), problems);
  REQUIRE(problems.all().size() == 1);
  CHECK(problems.all()[0].code == ErrorCode::kUnsupportedCapability);
}

TEST_CASE("extensions of a node stand in the plan's capabilities") {
  const std::string cap = '"' + std::string(kCapability) + '"';
  Problems sound;
  Parse(PlanWith(R"(,"op":"x","extensions":{)" + cap + ":{}}",
                 ",\"capabilities_required\":[" + cap + "]"),
        sound);
  CheckErrors(sound, {});
  Problems problems;
  Parse(
      PlanWith(R"(,"op":"x","extensions":{"other":1})", ",\"capabilities_required\":[" + cap + "]"),
      problems);
  CheckErrors(problems, {{"/nodes/0/extensions/other", "does not stand in"}});
}

TEST_CASE("a node that is broken in part keeps the rest") {
  Problems problems;
  const auto plan = Parse(PlanWith(R"(,"op":7,"inputs":"a","params":[],"effect":true)"), problems);
  REQUIRE(plan->nodes.size() == 1);
  CHECK(plan->nodes[0].id == "s");
  CHECK(plan->nodes[0].op.empty());
  CHECK(plan->nodes[0].inputs_broken);
  CHECK(plan->nodes[0].params_broken);
  CHECK(plan->nodes[0].effect);
}

TEST_CASE("a plan name is made of letters, digits and underscores") {
  CHECK(IsPlanName("a"));
  CHECK(IsPlanName("9_A"));
  CHECK(!IsPlanName(""));
  CHECK(!IsPlanName("a.b"));
  CHECK(!IsPlanName("../x"));
  CHECK(!IsPlanName("é"));
  CHECK(!IsPlanName(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace rankd
