// The IR: every op, and what is said of objects that are none.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/expr/support.h"

namespace rankd::test {
namespace {

Value IrValue(const std::string& json) {
  const RowSet row = Rows({{"i", {std::int64_t{7}}},
                           {"f", {0.5}},
                           {"b", {true}},
                           {"s", {std::string("Abc")}},
                           {"j", {Value()}}});
  const ParamValues params = Params({{"pi", std::int64_t{3}}, {"ps", std::string("^a")}});
  const BoundExpression bound = BindOk(CompileIrOk(json, RowScope()), params);
  const ColumnRef column = bound.EvaluateColumn(row, StopToken()).value();
  return column->At(0);
}

TEST_CASE("every op of the IR means what the text means") {
  struct Case {
    std::string json;
    Value value;
  };
  const auto i = [](std::int64_t value) { return Value(value); };
  const std::string key_i = R"({"op":"key_ref","key_id":2001})";
  const std::string key_j = R"({"op":"key_ref","key_id":"j"})";
  const std::string two = R"({"op":"const_number","value":2})";
  const Case cases[] = {
      {two, i(2)},
      {R"({"op":"const_number","value":2.0})", 2.0},
      {R"({"op":"const_number","value":2e0})", 2.0},
      {R"({"op":"const_number","value":-9223372036854775808})", i(-9223372036854775807 - 1)},
      {R"({"op":"const_bool","value":true})", true},
      {R"({"op":"const_string","value":"x"})", std::string("x")},
      {R"({"op":"const_null"})", {}},
      {key_i, i(7)},
      {R"({"op":"param_ref","param_id":1})", i(3)},
      {R"({"op":"param_ref","param_id":"pi"})", i(3)},
      {R"({"op":"add","a":)" + key_i + R"(,"b":)" + two + "}", i(9)},
      {R"({"op":"sub","a":)" + key_i + R"(,"b":)" + two + "}", i(5)},
      {R"({"op":"mul","a":)" + key_i + R"(,"b":)" + two + "}", i(14)},
      {R"({"op":"div","a":)" + key_i + R"(,"b":)" + two + "}", 3.5},
      {R"({"op":"mod","a":)" + key_i + R"(,"b":)" + two + "}", i(1)},
      {R"({"op":"neg","a":)" + key_i + "}", i(-7)},
      {R"({"op":"coalesce","a":)" + key_j + R"(,"b":)" + two + "}", i(2)},
      {R"({"op":"call","fn":"max","args":[)" + key_i + "," + two + "]}", i(7)},
      {R"({"op":"call","fn":"if","args":[{"op":"key_ref","key_id":"b"},)" + two + "," + key_i +
           "]}",
       i(2)},
      {R"({"op":"cmp","cmp":">=","a":)" + key_i + R"(,"b":)" + two + "}", true},
      {R"({"op":"cmp","cmp":"<","a":)" + key_i + R"(,"b":)" + two + "}", false},
      {R"({"op":"cmp","cmp":"==","a":)" + key_j + R"(,"b":{"op":"const_null"}})", true},
      {R"({"op":"cmp","cmp":"!=","a":)" + key_j + R"(,"b":{"op":"const_null"}})", false},
      {R"({"op":"in","lhs":)" + key_i + R"(,"list":[1,7.0,null]})", true},
      {R"({"op":"in","lhs":)" + key_i + R"(,"list":[{"op":"const_number","value":7}]})", true},
      {R"({"op":"in","lhs":)" + key_i + R"(,"list":[]})", false},
      {R"({"op":"in","lhs":{"op":"key_ref","key_id":"s"},"list":["Abc"]})", true},
      {R"({"op":"and","a":{"op":"const_bool","value":true},"b":{"op":"const_null"}})", false},
      {R"({"op":"or","a":{"op":"const_bool","value":true},"b":{"op":"const_null"}})", true},
      {R"({"op":"not","a":{"op":"const_null"}})", true},
      {R"({"op":"is_null","a":)" + key_j + "}", true},
      {R"({"op":"not_null","a":)" + key_j + "}", false},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"literal","value":"^a"},"flags":"i"})",
       true},
      {R"({"op":"regex","key_id":2007,"pattern":{"kind":"literal","value":"^a"},"flags":""})",
       false},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"literal","value":"^A"}})", true},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"param","param_id":4},"flags":"i"})", true},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"param","param_id":"ps"},"flags":null})",
       false},
      // A null field counts as absent, even one that is not known.
      {R"({"op":"key_ref","key_id":"i","key":null})", i(7)},
  };
  for (const Case& test : cases) {
    CAPTURE(test.json);
    const Value got = IrValue(test.json);
    CHECK_MESSAGE(SameValue(got, test.value), Show(got));
  }
}

TEST_CASE("a broken IR is told by pointer") {
  struct Case {
    std::string json;
    std::vector<std::pair<std::string, std::string>> problems;  // pointer, words
  };
  const std::string one = R"({"op":"const_number","value":1})";
  const Case cases[] = {
      {"7", {{"", "expected an object with \"op\""}}},
      {"null", {{"", "expected an object"}}},
      {"[]", {{"", "expected an object"}}},
      {"{}", {{"", "\"op\" is missing"}}},
      {R"({"op":null})", {{"", "\"op\" is missing"}}},
      {R"({"op":7})", {{"/op", "must be a string"}}},
      {R"({"op":"ad"})", {{"/op", "unknown expression op \"ad\", did you mean \"add\"?"}}},
      {R"({"op":"add","a":)" + one + "}", {{"", "\"b\" is missing"}}},
      {R"({"op":"add","a":)" + one + R"(,"b":null})", {{"", "\"b\" is missing"}}},
      {R"({"op":"add","a":)" + one + R"(,"b":2})", {{"/b", "expected an object"}}},
      {R"({"op":"neg","a":)" + one + R"(,"b":2})", {{"/b", "unknown field \"b\""}}},
      {R"({"op":"neg","a":)" + one + R"(,"a":)" + one + "}", {{"/a", "given twice"}}},
      {R"({"op":"const_number","valu":1})",
       {{"", "\"value\" is missing"}, {"/valu", "did you mean \"value\"?"}}},
      {R"({"op":"const_number","value":"1"})", {{"/value", "expected a number"}}},
      {R"({"op":"const_number","value":9223372036854775808})", {{"/value", "64 bits"}}},
      {R"({"op":"const_bool","value":1})", {{"/value", "expected true or false"}}},
      {R"({"op":"const_string","value":1})", {{"/value", "expected a string"}}},
      {R"({"op":"key_ref","key_id":1.5})", {{"/key_id", "expected a registry id or a name"}}},
      {R"({"op":"key_ref","key_id":99})", {{"/key_id", "unknown key 99"}}},
      {R"({"op":"key_ref","key_id":"absent_j"})", {{"/key_id", "did you mean \"absent_"}}},
      {R"({"op":"param_ref","param_id":99})", {{"/param_id", "unknown param 99"}}},
      {R"({"op":"call","fn":"flor","args":[]})", {{"/fn", "did you mean \"floor\"?"}}},
      {R"({"op":"call","fn":1,"args":[]})", {{"/fn", "must be a string"}}},
      {R"({"op":"call","fn":"abs"})", {{"", "\"args\" is missing"}}},
      {R"({"op":"call","fn":"abs","args":1})", {{"/args", "expected a list"}}},
      {R"({"op":"call","fn":"abs","args":[]})", {{"", "abs() takes 1 argument, not 0"}}},
      {R"({"op":"call","fn":"abs","args":[7]})", {{"/args/0", "expected an object"}}},
      {R"({"op":"cmp","cmp":"=","a":)" + one + R"(,"b":)" + one + "}",
       {{"/cmp", "expected one of"}}},
      {R"({"op":"cmp","a":)" + one + R"(,"b":)" + one + "}", {{"", "\"cmp\" is missing"}}},
      {R"({"op":"in","lhs":)" + one + "}", {{"", "\"list\" is missing"}}},
      {R"({"op":"in","lhs":)" + one + R"(,"list":1})", {{"/list", "expected a list"}}},
      {R"({"op":"in","lhs":)" + one + R"(,"list":[1,[2]]})", {{"/list/1", "expected a literal"}}},
      {R"({"op":"in","lhs":)" + one + R"(,"list":[1,"x"]})", {{"/list/1", "cannot compare"}}},
      {R"({"op":"in","lhs":)" + one + R"(,"list":[18446744073709551615]})",
       {{"/list/0", "64 bits"}}},
      {R"({"op":"in","lhs":)" + one + R"(,"list":[{"op":"key_ref","key_id":"i"}]})",
       {{"/list/0", "expected a literal"}}},
      {R"({"op":"regex","key_id":"s"})", {{"", "\"pattern\" is missing"}}},
      {R"({"op":"regex","key_id":"s","pattern":"x"})", {{"/pattern", "expected an object"}}},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"lit","value":"x"}})",
       {{"/pattern/kind", "expected \"literal\" or \"param\""}}},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"literal","value":"("}})",
       {{"/pattern/value", "bad regex"}}},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"literal","param_id":1}})",
       {{"/pattern", "\"value\" is missing"}, {"/pattern/param_id", "unknown field"}}},
      {R"({"op":"regex","key_id":"s","pattern":{"kind":"param","param_id":1}})",
       {{"/pattern/param_id", "the pattern of a regex is a string"}}},
      {R"({"op":"regex","key_id":"i","pattern":{"kind":"literal","value":"x"},"flags":"x"})",
       {{"", "needs a string"}, {"/flags", "the flags of a regex are"}}},
      {R"({"op":"add","a":{"op":"key_ref","key_id":"s"},"b":{"op":"nope"}})",
       {{"", "needs numbers"}, {"/b/op", "unknown expression op"}}},
  };
  for (const Case& test : cases) {
    CAPTURE(test.json);
    const std::vector<Error> problems = IrProblemsOf(test.json, RowScope());
    CHECK(problems.size() == test.problems.size());
    for (const auto& [pointer, words] : test.problems) {
      bool told = false;
      for (const Error& problem : problems) {
        CAPTURE(problem.message);
        told = told ||
               (problem.pointer == pointer && problem.message.find(words) != std::string::npos);
        CHECK(problem.code == ErrorCode::kInvalidPlan);
        CHECK(problem.message.find('\n') == std::string::npos);
      }
      CHECK_MESSAGE(told, pointer << ": " << words << "; first: " << problems[0].pointer << ": "
                                  << problems[0].message);
    }
  }
}

TEST_CASE("aggregates stand in the IR as calls") {
  const RowSet rows = Rows({{"i", {std::int64_t{1}, std::int64_t{2}}}});
  const std::string sum = R"({"op":"call","fn":"sum","args":[{"op":"key_ref","key_id":"i"}]})";
  const std::string json =
      R"({"op":"add","a":)" + sum + R"(,"b":{"op":"call","fn":"count","args":[]}})";
  const BoundExpression bound = BindOk(CompileIrOk(json, ScalarScope()), Params());
  CHECK(bound.EvaluateScalar(rows, StopToken()).value() == Value(std::int64_t{5}));
}

}  // namespace
}  // namespace rankd::test
