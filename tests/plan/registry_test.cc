#include "engine/plan/registry.h"

#include <doctest/doctest.h>

#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

struct Case {
  std::string_view json;
  std::vector<ExpectedProblem> errors;
};

Schema ParseSchema(std::string_view json, Problems& problems) {
  const JsonDocument document = MustParse(json);
  return ParseRegistry(document.root(), problems);
}

TEST_CASE("a registry declares keys and params with their attributes") {
  Problems problems;
  const Schema schema = ParseSchema(R"({
    "keys": [
      {"id": 1, "name": "id", "type": "int", "nullable": false, "allow_write": false},
      {"id": 2001, "name": "final_score", "type": "float", "nullable": false, "default": 0},
      {"name": "_T9", "type": "string", "default": "é", "doc": "free text", "status": "deprecated"},
      {"id": -5, "name": "flag", "type": "bool", "default": true, "allow_write": false},
      {"id": null, "name": "n", "type": "int", "default": null, "status": null}],
    "params": [{"id": 1, "name": "final_score", "type": "int", "default": -9223372036854775808}]})",
                                    problems);
  CheckErrors(problems, {});
  CHECK(schema.key_count() == 5);
  CHECK(schema.FindKey(1) == kIdKey);
  const KeySpec& score = schema.key(*schema.FindKey(2001));
  CHECK(score.name == "final_score");
  CHECK(!score.nullable);
  CHECK(score.allow_write);
  CHECK(score.default_value == Value(0.0));  // an int is taken for a float
  const KeySpec& text = schema.key(*schema.FindKey("_T9"));
  CHECK(text.nullable);
  CHECK(text.status == EntryStatus::kDeprecated);
  CHECK(text.doc == "free text");
  CHECK(text.default_value == Value(std::string("é")));
  CHECK(!text.registry_id);
  const KeySpec& flag = schema.key(*schema.FindKey(-5));
  CHECK(flag.default_value == Value(true));
  CHECK(!flag.allow_write);
  CHECK(IsNull(schema.key(*schema.FindKey("n")).default_value));
  const ParamSpec& param = schema.param(*schema.FindParam(1));
  CHECK(param.name == "final_score");
  CHECK(param.default_value == Value(std::int64_t{-9223372036854775807 - 1}));
}

TEST_CASE("the key id exists whatever the registry says") {
  for (const std::string_view json :
       {R"({})", R"({"keys":null,"params":null})", R"({"keys":[],"params":[]})",
        R"({"keys":[{"name":"id","type":"int"}]})",
        R"({"keys":[{"name":"n","type":"int"},{"id":7,"name":"id","type":"int","doc":"d"}]})"}) {
    CAPTURE(std::string(json));
    Problems problems;
    const Schema schema = ParseSchema(json, problems);
    CheckErrors(problems, {});
    CHECK(schema.FindKey("id") == kIdKey);
    CHECK(!schema.key(kIdKey).nullable);
    CHECK(!schema.key(kIdKey).allow_write);
    CHECK(schema.key(kIdKey).type == ValueType::kInt);
  }
}

TEST_CASE("a registry with mistakes names each at its place") {
  const Case cases[] = {
      {"[]", {{"", "must be an object, not an array"}}},
      {R"({"key":[]})", {{"/key", "did you mean \"keys\"?"}}},
      {R"({"keys":{}})", {{"/keys", "must be an array"}}},
      {R"({"keys":[1]})", {{"/keys/0", "a key must be an object, not 1"}}},
      {R"({"params":["x"]})", {{"/params/0", "a param must be an object"}}},
      {R"({"keys":[{}]})", {{"/keys/0/name", "missing"}, {"/keys/0/type", "missing"}}},
      {R"({"keys":[{"name":"a","typ":"int"}]})",
       {{"/keys/0/typ", "did you mean \"type\"?"}, {"/keys/0/type", "missing"}}},
      {R"({"keys":[{"name":"a","type":"integer"}]})", {{"/keys/0/type", "unknown type"}}},
      {R"({"keys":[{"name":"a","type":"strin"}]})", {{"/keys/0/type", "did you mean \"string\"?"}}},
      {R"({"keys":[{"name":"9a","type":"int"}]})", {{"/keys/0/name", "\"9a\""}}},
      {R"({"keys":[{"name":"","type":"int"}]})", {{"/keys/0/name", "letters"}}},
      {R"({"keys":[{"name":"a-b","type":"int"}]})", {{"/keys/0/name", "a-b"}}},
      {R"({"keys":[{"name":7,"type":7}]})",
       {{"/keys/0/name", "a string, not 7"}, {"/keys/0/type", "a string, not 7"}}},
      {R"({"keys":[{"name":"a","type":"int"},{"name":"a","type":"int"}]})",
       {{"/keys/1/name", "declared twice"}}},
      {R"({"keys":[{"name":"id","type":"int"},{"name":"id","type":"int"}]})",
       {{"/keys/1/name", "declared twice"}}},
      {R"({"keys":[{"id":5,"name":"a","type":"int"},{"id":5,"name":"b","type":"int"}]})",
       {{"/keys/1/id", "that of the key \"a\""}}},
      {R"({"params":[{"id":5,"name":"a","type":"int"},{"id":5,"name":"b","type":"int"}]})",
       {{"/params/1/id", "that of the param \"a\""}}},
      {R"({"keys":[{"id":"5","name":"a","type":"int"}]})", {{"/keys/0/id", "an integer"}}},
      {R"({"keys":[{"id":1.5,"name":"a","type":"int"}]})", {{"/keys/0/id", "an integer"}}},
      {R"({"keys":[{"id":18446744073709551615,"name":"a","type":"int"}]})",
       {{"/keys/0/id", "an integer"}}},
      {R"({"keys":[{"name":"a","type":"int","default":1.0}]})",
       {{"/keys/0/default", "int, not 1.0"}}},
      {R"({"keys":[{"name":"a","type":"int","default":9223372036854775808}]})",
       {{"/keys/0/default", "int"}}},
      {R"({"keys":[{"name":"a","type":"bool","default":1}]})", {{"/keys/0/default", "bool"}}},
      {R"({"keys":[{"name":"a","type":"string","default":1}]})", {{"/keys/0/default", "string"}}},
      {R"({"keys":[{"name":"a","type":"float","default":"1"}]})", {{"/keys/0/default", "float"}}},
      {R"({"keys":[{"name":"a","type":"int","nullable":0,"allow_write":"no","doc":1}]})",
       {{"/keys/0/nullable", "true or false, not 0"},
        {"/keys/0/allow_write", "true or false"},
        {"/keys/0/doc", "a string"}}},
      {R"({"keys":[{"name":"a","type":"int","status":"blockd"}]})",
       {{"/keys/0/status", "did you mean \"blocked\"?"}}},
      {R"({"params":[{"name":"a","type":"int","allow_write":true}]})",
       {{"/params/0/allow_write", "unknown field"}}},
      {R"({"keys":[{"name":"id","type":"float"}]})", {{"/keys/0/type", "has the type int"}}},
      {R"({"keys":[{"name":"id","type":"int","nullable":true,"allow_write":true}]})",
       {{"/keys/0/nullable", "never null"}, {"/keys/0/allow_write", "never written"}}},
      {R"({"keys":[{"name":"id","type":"int","status":"blocked"}]})",
       {{"/keys/0/status", "cannot be blocked"}}},
      {R"({"keys":[{"name":"a","name":"b","type":"int"}]})", {{"/keys/0/name", "more than once"}}},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.json));
    Problems problems;
    ParseSchema(one.json, problems);
    CheckErrors(problems, one.errors);
  }
}

TEST_CASE("what is right in a registry with mistakes is kept") {
  Problems problems;
  const Schema schema = ParseSchema(
      R"({"keys":[{"name":"a","type":"int","default":"x","id":1},{"name":"b","type":"?"},
                  {"name":"c","type":"bool","id":1}]})",
      problems);
  CHECK(problems.error_count() == 3);
  CHECK(schema.FindKey("a"));
  CHECK(!schema.FindKey("b"));
  CHECK(schema.FindKey("c"));
  CHECK(schema.FindKey(1) == schema.FindKey("a"));
}

Schema BaseSchema() {
  Problems problems;
  return ParseSchema(
      R"({"keys":[{"id":10,"name":"score","type":"float","nullable":false,"default":0.5},
                  {"id":11,"name":"kept","type":"int","allow_write":false}],
          "params":[{"id":1,"name":"weight","type":"float"}]})",
      problems);
}

Schema Merge(std::string_view keys, std::string_view params, Problems& problems) {
  const JsonDocument key_document = MustParse(keys);
  const JsonDocument param_document = MustParse(params);
  Schema schema = BaseSchema();
  MergePlanEntries(&key_document.root(), &param_document.root(), schema, problems);
  return schema;
}

TEST_CASE("a plan adds keys and params of its own") {
  Problems problems;
  const Schema schema =
      Merge(R"({"a":"int","b":{"type":"string","default":"x","id":77},"absent":null})",
            R"({"weight2":{"type":"float","default":2},"on":"bool"})", problems);
  CheckErrors(problems, {});
  CHECK(schema.key(*schema.FindKey("a")).type == ValueType::kInt);
  CHECK(schema.FindKey(77) == schema.FindKey("b"));
  CHECK(!schema.FindKey("absent"));
  CHECK(schema.param(*schema.FindParam("weight2")).default_value == Value(2.0));
  CHECK(schema.param(*schema.FindParam("on")).type == ValueType::kBool);
}

TEST_CASE("redefining an entry with its own type changes only the attributes it gives") {
  Problems problems;
  const Schema schema =
      Merge(R"({"score":{"type":"float","nullable":true},"kept":"int","id":"int"})",
            R"({"weight":{"default":0.25}})", problems);
  CheckErrors(problems, {});
  const KeySpec& score = schema.key(*schema.FindKey("score"));
  CHECK(score.nullable);
  CHECK(score.default_value == Value(0.5));
  CHECK(score.registry_id == 10);
  CHECK(!schema.key(*schema.FindKey("kept")).allow_write);
  CHECK(schema.param(*schema.FindParam("weight")).default_value == Value(0.25));
  CHECK(schema.key_count() == BaseSchema().key_count());
}

TEST_CASE("entries of a plan that do not fit are named below keys and params") {
  struct MergeCase {
    std::string_view keys;
    std::string_view params;
    std::vector<ExpectedProblem> errors;
  };
  const MergeCase cases[] = {
      {R"({"score":"int"})", "{}", {{"/keys/score", "has the type float, not int"}}},
      {R"({"score":{"type":"int","default":1}})",
       "{}",
       {{"/keys/score/type", "has the type float, not int"}}},
      {"{}", R"({"weight":"string"})", {{"/params/weight", "the param \"weight\""}}},
      {R"({"a":"flot"})", "{}", {{"/keys/a", "flot"}}},
      {R"({"a":7})", "{}", {{"/keys/a", "not 7"}}},
      {R"({"a":{}})", "{}", {{"/keys/a/type", "missing"}}},
      {R"({"a b":"int"})", "{}", {{"/keys/a b", "letters"}}},
      {R"({"a/b":"int"})", "{}", {{"/keys/a~1b", "letters"}}},
      {R"({"a":{"type":"int","defalt":1}})",
       "{}",
       {{"/keys/a/defalt", "did you mean \"default\"?"}}},
      {R"({"score":{"defalt":1,"type":"int"}})",
       "{}",
       {{"/keys/score/defalt", "default"}, {"/keys/score/type", "float"}}},
      {R"({"a":{"type":"int","name":"b"}})", "{}", {{"/keys/a/name", "\"b\""}}},
      {R"({"a":{"type":"int","id":10}})", "{}", {{"/keys/a/id", "the key \"score\""}}},
      {R"({"score":{"id":12}})", "{}", {{"/keys/score/id", "has the id 10 already"}}},
      {R"({"id":"float"})", "{}", {{"/keys/id", "has the type int"}}},
      {R"({"id":{"type":"int","allow_write":true}})",
       "{}",
       {{"/keys/id/allow_write", "never written"}}},
      {"{}", R"({"weight":{"allow_write":true}})", {{"/params/weight/allow_write", "unknown"}}},
  };
  for (const MergeCase& one : cases) {
    CAPTURE(std::string(one.keys));
    CAPTURE(std::string(one.params));
    Problems problems;
    Merge(one.keys, one.params, problems);
    CheckErrors(problems, one.errors);
  }
}

}  // namespace
}  // namespace rankd
