#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "engine/wire/request.h"

namespace rankd {
namespace {

KeySpec Key(std::string name, ValueType type, EntryStatus status = EntryStatus::kActive) {
  KeySpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.status = status;
  return spec;
}

ParamSpec Param(std::string name, ValueType type, Value default_value = {}) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.default_value = std::move(default_value);
  return spec;
}

/// A plan with a param and a key of each kind.
std::shared_ptr<PlanInterface> MakePlan(std::string name, bool needs_user_id) {
  auto schema = std::make_shared<Schema>();
  schema->AddKey(Key("score", ValueType::kFloat));
  schema->AddKey(Key("country", ValueType::kString));
  schema->AddKey(Key("old_key", ValueType::kInt, EntryStatus::kDeprecated));
  schema->AddKey(Key("gone_key", ValueType::kInt, EntryStatus::kBlocked));
  schema->AddParam(Param("limit", ValueType::kInt, std::int64_t{3}));
  schema->AddParam(Param("weight", ValueType::kFloat));
  schema->AddParam(Param("flag", ValueType::kBool, false));
  schema->AddParam(Param("pattern", ValueType::kString));
  ParamSpec cutoff = Param("cutoff", ValueType::kFloat);
  cutoff.nullable = false;
  schema->AddParam(cutoff);
  ParamSpec old = Param("old_param", ValueType::kInt);
  old.status = EntryStatus::kDeprecated;
  schema->AddParam(old);
  ParamSpec gone = Param("gone_param", ValueType::kInt);
  gone.status = EntryStatus::kBlocked;
  schema->AddParam(gone);
  auto plan = std::make_shared<PlanInterface>();
  plan->name = std::move(name);
  plan->needs_user_id = needs_user_id;
  plan->schema = std::move(schema);
  return plan;
}

/// A parser with two plans: "free", the default, and "viewer", which needs a user_id.
class Fixture {
 public:
  explicit Fixture(bool allow_unknown_fields = false)
      : parser_({.allow_unknown_fields = allow_unknown_fields,
                 .warn = [this](std::string_view note) { notes.emplace_back(note); }},
                [this](std::string_view name) { return Lookup(name); }) {}

  Result<void> Parse(std::string_view text) { return parser_.Parse(text, 7, request); }

  /// "ok", or the error's code.
  std::string Outcome(std::string_view text) {
    const Result<void> result = Parse(text);
    if (result) return "ok";
    message = result.error().message;
    return std::string(CodeName(result.error().code));
  }

  Value ParamValue(std::string_view name) const {
    return request.params.Get(*request.plan->schema->FindParam(name));
  }
  std::string OutputKeys() const {
    if (!request.output_keys) return "all";
    std::string names;
    for (const KeyId key : *request.output_keys) names += request.plan->schema->key(key).name + " ";
    return names;
  }

  Request request;
  std::string message;
  std::vector<std::string> notes;
  std::vector<std::string> lookups;

 private:
  Result<PlanForRequest> Lookup(std::string_view name) {
    lookups.emplace_back(name);
    if (name.empty() || name == "free") return PlanForRequest{free_, &defaults_};
    if (name == "viewer") return PlanForRequest{viewer_, &defaults_};
    if (name == "broken") return Fail(ErrorCode::kInvalidPlan, "it is broken");
    return Fail(ErrorCode::kUnknownPlan, "no such plan");
  }

  std::shared_ptr<PlanInterface> free_ = MakePlan("free", false);
  std::shared_ptr<PlanInterface> viewer_ = MakePlan("viewer", true);
  ParamValues defaults_{*free_->schema};
  RequestParser parser_;
};

struct Row {
  std::string text;
  const char* outcome;
  const char* id = "\"line:7\"";
};

void CheckRows(const std::vector<Row>& rows) {
  Fixture fixture;
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(fixture.Outcome(row.text) == row.outcome);
    CHECK(fixture.request.id_json == row.id);
  }
}

TEST_CASE("what is not one JSON text is invalid_json") {
  std::vector<Row> rows;
  for (const char* text : {"{",
                           "}",
                           "{\"a\"}",
                           "{\"a\":1}}",
                           "{} {}",
                           "{}{}",
                           "{},",
                           "{\"a\":1,}",
                           "abc",
                           "NaN",
                           "{\"x\":NaN}",
                           "{\"x\":Infinity}",
                           "{\"x\":1e400}",
                           "{\"x\":-1e400}",
                           "{\"x\":18446744073709551616}",
                           "{\"x\":-9223372036854775809}",
                           "{\"x\":01}",
                           "{\"x\":1.}",
                           "{\"x\":+1}",
                           "{\"x\":.5}",
                           "{\"x\":tru}",
                           "{'x':1}",
                           "{x:1}",
                           "{\"x\":\"\xFF\"}",
                           "{\"x\":\"\xC0\x80\"}",
                           "{\"x\":\"\xED\xA0\x80\"}",
                           "\xFF",
                           "\xEF\xBB\xBF{}",
                           "{\"x\":\"\\ud800\"}",
                           "{\"x\":\"\\udc00\"}",
                           "{\"x\":\"\\ud800\\u0041\"}",
                           "{\"x\":\"\\ud800\\ud800\"}",
                           "{\"x\":\"\\udc00\\ud800\"}",
                           "{\"x\":\"\\ud83d\"}",
                           "{\"\\ud83d\":1}",
                           "{\"x\":\"\\ud83dx\"}",
                           "{\"x\":\"\\x\"}",
                           "{\"x\":\"\\u12\"}",
                           "{\"x\":\"\t\"}",
                           "{\"x\":\"a\nb\"}",
                           "{\"x\":1 /* no */}",
                           "",
                           " "}) {
    rows.push_back({text, "invalid_json"});
  }
  rows.push_back({std::string("{\"x\":\"\0\"}", 9), "invalid_json"});
  rows.push_back({std::string("{}\0", 3), "invalid_json"});
  // The id of what cannot be parsed cannot be read.
  rows.push_back({"{\"request_id\":\"a\",\"x\":}", "invalid_json"});
  CheckRows(rows);
}

TEST_CASE("a JSON value that is no object is invalid_request") {
  CheckRows({{"5", "invalid_request"},
             {"[{}]", "invalid_request"},
             {"\"x\"", "invalid_request"},
             {"null", "invalid_request"},
             {"true", "invalid_request"},
             {"1.5", "invalid_request"}});
}

std::string Nested(std::size_t depth, std::string_view open, std::string_view close,
                   std::string_view inside) {
  std::string text = "{\"x\":";
  for (std::size_t i = 1; i < depth; ++i) text += open;
  text += inside;
  for (std::size_t i = 1; i < depth; ++i) text += close;
  return text + "}";
}

TEST_CASE("brackets may nest 64 deep, whatever is in the innermost") {
  Fixture fixture(true);
  CHECK(fixture.Outcome(Nested(63, "[", "]", "1")) == "ok");
  CHECK(fixture.Outcome(Nested(64, "[", "]", "1")) == "ok");
  CHECK(fixture.Outcome(Nested(64, "[", "]", "\"]]]\\\"[[[\"")) == "ok");
  CHECK(fixture.Outcome(Nested(64, "[", "]", "")) == "ok");
  CHECK(fixture.Outcome(Nested(65, "[", "]", "1")) == "invalid_json");
  CHECK(fixture.Outcome(Nested(65, "[", "]", "")) == "invalid_json");
  CHECK(fixture.Outcome(Nested(64, "{\"a\":", "}", "1")) == "ok");
  CHECK(fixture.Outcome(Nested(65, "{\"a\":", "}", "{}")) == "invalid_json");
  CHECK(fixture.message.find("64") != std::string::npos);
  CHECK(fixture.Outcome(Nested(100'000, "[", "]", "1")) == "invalid_json");
  CHECK(fixture.Outcome(Nested(64, "[", "]", "1]")) == "invalid_json");
  CHECK(fixture.Outcome("{\"request_id\":\"" + std::string(1000, '[') + "\"}") == "ok");
}

TEST_CASE("request_id is echoed as it came") {
  CheckRows({
      {"{\"request_id\":\"a\"}", "ok", "\"a\""},
      {"{\"request_id\":\"\"}", "ok", "\"\""},
      {"{\"request_id\":\"\\u00e9\\\"\\n\\u0000\\ud83d\\ude00\"}", "ok",
       "\"\xC3\xA9\\\"\\n\\u0000\xF0\x9F\x98\x80\""},
      {"{\"request_id\":7}", "ok", "7"},
      {"{\"request_id\":-9223372036854775808}", "ok", "-9223372036854775808"},
      {"{\"request_id\":18446744073709551615}", "ok", "18446744073709551615"},
      {"{\"request_id\":null}", "ok"},
      {"{}", "ok"},
      {"{\"request_id\":1.0}", "invalid_request"},
      {"{\"request_id\":true}", "invalid_request"},
      {"{\"request_id\":[1]}", "invalid_request"},
      {"{\"\\u0072equest_id\":\"a\"}", "ok", "\"a\""},
  });
}

TEST_CASE("a failing request keeps its id wherever it can be read") {
  CheckRows({
      {"{\"user_id\":-1,\"request_id\":\"a\"}", "invalid_request", "\"a\""},
      {"{\"nope\":1,\"request_id\":\"a\"}", "invalid_request", "\"a\""},
      {"{\"request_id\":\"a\",\"request_id\":\"b\"}", "invalid_request", "\"a\""},
      {"{\"plan\":\"nope\",\"request_id\":8}", "unknown_plan", "8"},
      {"{\"plan\":\"broken\",\"request_id\":8}", "invalid_plan", "8"},
      {"{\"params\":{\"nope\":1},\"request_id\":8}", "invalid_param", "8"},
      {"{\"nope\":1,\"request_id\":[]}", "invalid_request"},
  });
}

TEST_CASE("user_id is a positive 64-bit integer or its digits") {
  Fixture fixture;
  CHECK(fixture.Outcome("{\"user_id\":1}") == "ok");
  CHECK(fixture.request.user_id == 1);
  CHECK(fixture.Outcome("{\"user_id\":9223372036854775807}") == "ok");
  CHECK(fixture.request.user_id == 9223372036854775807);
  CHECK(fixture.Outcome("{\"user_id\":\"9007199254740993\"}") == "ok");
  CHECK(fixture.request.user_id == 9007199254740993);
  CHECK(fixture.Outcome("{\"user_id\":\"007\"}") == "ok");
  CHECK(fixture.request.user_id == 7);
  CHECK(fixture.Outcome("{\"user_id\":null}") == "ok");
  CHECK_FALSE(fixture.request.user_id);
  for (const char* bad : {"0",
                          "-1",
                          "1.0",
                          "1e3",
                          "9223372036854775808",
                          "18446744073709551615",
                          "true",
                          "[]",
                          "{}",
                          "\"\"",
                          "\"0\"",
                          "\"-1\"",
                          "\"+1\"",
                          "\" 1\"",
                          "\"1 \"",
                          "\"12x\"",
                          "\"1.0\"",
                          "\"0x10\"",
                          "\"9223372036854775808\"",
                          "\"\\u0661\""}) {
    CAPTURE(bad);
    CHECK(fixture.Outcome("{\"user_id\":" + std::string(bad) + "}") == "invalid_request");
    CHECK(fixture.message.find("user_id") != std::string::npos);
  }
}

TEST_CASE("a plan that needs a user_id gets one") {
  Fixture fixture;
  CHECK(fixture.Outcome("{\"plan\":\"viewer\"}") == "invalid_request");
  CHECK(fixture.message == "plan \"viewer\" needs a user_id");
  CHECK(fixture.Outcome("{\"plan\":\"viewer\",\"user_id\":null}") == "invalid_request");
  CHECK(fixture.Outcome("{\"plan\":\"viewer\",\"user_id\":5}") == "ok");
}

TEST_CASE("plan names a plan, else the flags' one is meant") {
  Fixture fixture;
  CHECK(fixture.Outcome("{}") == "ok");
  CHECK(fixture.Outcome("{\"plan\":null}") == "ok");
  CHECK(fixture.Outcome("{\"plan\":\"free\"}") == "ok");
  CHECK(fixture.request.plan->name == "free");
  CHECK(fixture.lookups == std::vector<std::string>{"", "", "free"});
  for (const char* bad : {"\"\"", "\"../x\"", "\"a b\"", "\"a.plan\"", "\"\\u0000\"", "5", "[]",
                          "\"nope\"", "\"Free\""}) {
    CAPTURE(bad);
    CHECK(fixture.Outcome("{\"plan\":" + std::string(bad) + "}") == "unknown_plan");
  }
  CHECK(fixture.lookups.size() == 5);  // What is no name was not looked up.
}

TEST_CASE("params are taken by type, over the defaults") {
  Fixture fixture;
  CHECK(fixture.Outcome("{}") == "ok");
  CHECK(fixture.ParamValue("limit") == Value(std::int64_t{3}));
  CHECK(IsNull(fixture.ParamValue("weight")));
  CHECK(fixture.Outcome("{\"params\":{\"limit\":-9223372036854775808,\"weight\":1,\"cutoff\":-0.0,"
                        "\"flag\":true,\"pattern\":\"\\u00e9\"}}") == "ok");
  CHECK(fixture.ParamValue("limit") == Value(std::numeric_limits<std::int64_t>::min()));
  CHECK(fixture.ParamValue("weight") == Value(1.0));
  CHECK(std::signbit(std::get<double>(fixture.ParamValue("cutoff"))));
  CHECK(fixture.ParamValue("flag") == Value(true));
  CHECK(fixture.ParamValue("pattern") == Value(std::string("\xC3\xA9")));
  // The next request starts from the defaults again.
  CHECK(fixture.Outcome("{\"param_overrides\":{\"weight\":18446744073709551615}}") == "ok");
  CHECK(fixture.ParamValue("weight") == Value(18446744073709551615.0));
  CHECK(fixture.ParamValue("limit") == Value(std::int64_t{3}));
  CHECK(fixture.ParamValue("flag") == Value(false));
  CHECK(fixture.Outcome("{\"params\":{\"limit\":null}}") == "ok");
  CHECK(IsNull(fixture.ParamValue("limit")));
  CHECK(fixture.Outcome("{\"params\":null,\"param_overrides\":{\"limit\":1}}") == "ok");
  CHECK(fixture.ParamValue("limit") == Value(std::int64_t{1}));
  CHECK(fixture.Outcome("{\"params\":{}}") == "ok");
}

TEST_CASE("a param that is unknown or of the wrong type is invalid_param") {
  Fixture fixture;
  struct {
    const char* params;
    const char* message;
  } rows[] = {
      {"{\"wieght\":1}", "unknown param \"wieght\", did you mean \"weight\"?"},
      {"{\"zzzzzzzz\":1}", "unknown param \"zzzzzzzz\""},
      {"{\"Limit\":1}", "unknown param \"Limit\", did you mean \"limit\"?"},
      {"{\"5\":1}", "unknown param \"5\""},
      {"{\"weight\":\"1\"}", "param \"weight\" must be a float, not the string \"1\""},
      {"{\"weight\":true}", "param \"weight\" must be a float, not true"},
      {"{\"limit\":1.5}", "param \"limit\" must be an int, not 1.5"},
      {"{\"limit\":1.0}", "param \"limit\" must be an int, not 1.0"},
      {"{\"limit\":9223372036854775808}",
       "param \"limit\" must be an int within 64 bits, not 9223372036854775808"},
      {"{\"limit\":[1]}", "param \"limit\" must be an int, not an array"},
      {"{\"flag\":1}", "param \"flag\" must be a bool, not 1"},
      {"{\"pattern\":5}", "param \"pattern\" must be a string, not 5"},
      {"{\"cutoff\":null}", "param \"cutoff\" may not be null"},
      {"{\"limit\":1,\"limit\":2}", "param \"limit\" is given twice"},
      {"{\"gone_param\":1}", "param \"gone_param\" is blocked"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.params);
    CHECK(fixture.Outcome("{\"params\":" + std::string(row.params) + "}") == "invalid_param");
    CHECK(fixture.message == row.message);
  }
  for (const char* bad : {"5", "[]", "\"weight\"", "true"}) {
    CAPTURE(bad);
    CHECK(fixture.Outcome("{\"params\":" + std::string(bad) + "}") == "invalid_request");
    CHECK(fixture.Outcome("{\"param_overrides\":" + std::string(bad) + "}") == "invalid_request");
  }
  CHECK(fixture.Outcome("{\"params\":{},\"param_overrides\":{}}") == "invalid_request");
}

TEST_CASE("output_keys are sorted, once each, without id") {
  Fixture fixture;
  CHECK(fixture.Outcome("{}") == "ok");
  CHECK(fixture.OutputKeys() == "all");
  CHECK(fixture.Outcome("{\"output_keys\":[\"score\",\"id\",\"country\",\"score\"]}") == "ok");
  CHECK(fixture.OutputKeys() == "country score ");
  CHECK(fixture.Outcome("{\"output_keys\":[]}") == "ok");
  CHECK(fixture.OutputKeys() == "");
  CHECK(fixture.Outcome("{\"output_keys\":null}") == "ok");
  CHECK(fixture.OutputKeys() == "all");
  CHECK(fixture.Outcome("{\"output_keys\":[\"scroe\"]}") == "invalid_request");
  CHECK(fixture.message == "output_keys names an unknown key \"scroe\", did you mean \"score\"?");
  for (const char* bad : {"[1]", "[null]", "[\"1\"]", "\"score\"", "{}", "[\"gone_key\"]"}) {
    CAPTURE(bad);
    CHECK(fixture.Outcome("{\"output_keys\":" + std::string(bad) + "}") == "invalid_request");
  }
}

TEST_CASE("limits are whole numbers of milliseconds") {
  Fixture fixture;
  CHECK(fixture.Outcome("{\"deadline_ms\":0,\"node_timeout_ms\":9007199254740992}") == "ok");
  CHECK(fixture.request.deadline == std::chrono::milliseconds(0));
  CHECK(fixture.request.node_timeout == std::chrono::milliseconds(9007199254740992));
  CHECK(fixture.Outcome("{\"deadline_ms\":null}") == "ok");
  CHECK_FALSE(fixture.request.deadline);
  CHECK_FALSE(fixture.request.node_timeout);
  for (const char* field : {"deadline_ms", "node_timeout_ms"}) {
    for (const char* bad : {"-1", "5.0", "1.5", "9007199254740993", "\"5\"", "true", "1e3"}) {
      CAPTURE(bad);
      CHECK(fixture.Outcome("{\"" + std::string(field) + "\":" + bad + "}") == "invalid_request");
      CHECK(fixture.message.find(field) != std::string::npos);
    }
  }
}

TEST_CASE("cpu and trace") {
  Fixture fixture;
  CHECK(fixture.Outcome("{\"cpu\":\"offload\"}") == "ok");
  CHECK(fixture.request.cpu == CpuMode::kOffload);
  CHECK(fixture.Outcome("{\"cpu\":\"fused\"}") == "ok");
  CHECK(fixture.request.cpu == CpuMode::kFused);
  CHECK(fixture.Outcome("{\"cpu\":null,\"trace\":null}") == "ok");
  CHECK_FALSE(fixture.request.cpu);
  CHECK_FALSE(fixture.request.trace);
  CHECK(fixture.Outcome("{\"trace\":true}") == "ok");
  CHECK(fixture.request.trace);
  CHECK(fixture.Outcome("{\"trace\":false}") == "ok");
  CHECK_FALSE(fixture.request.trace);
  CHECK(fixture.Outcome("{\"trace\":\"true\"}") == "invalid_request");
  CHECK(fixture.Outcome("{\"cpu\":\"ofload\"}") == "invalid_request");
  CHECK(fixture.message ==
        "cpu must be \"auto\", \"inline\", \"offload\" or \"fused\", not the string \"ofload\", "
        "did you mean "
        "\"offload\"?");
  CHECK(fixture.Outcome("{\"cpu\":1}") == "invalid_request");
}

TEST_CASE("an unknown field and a field given twice are named") {
  Fixture fixture;
  CHECK(fixture.Outcome("{\"parms\":{}}") == "invalid_request");
  CHECK(fixture.message == "unknown field \"parms\", did you mean \"params\"?");
  CHECK(fixture.Outcome("{\"user_id\":1,\"user_id\":1}") == "invalid_request");
  CHECK(fixture.message == "field \"user_id\" is given twice");
  CHECK(fixture.Outcome("{\"user_id\":null,\"user_id\":1}") == "invalid_request");
  CHECK(fixture.Outcome("{\"\":1}") == "invalid_request");
  CHECK(fixture.message == "unknown field \"\"");
  CHECK(fixture.Outcome("{\"Params\":{}}") == "invalid_request");
}

TEST_CASE("unknown fields are ignored on request, known ones checked all the same") {
  Fixture fixture(true);
  CHECK(fixture.Outcome("{\"parms\":{},\"parms\":[],\"request_id\":\"a\"}") == "ok");
  CHECK(fixture.request.id_json == "\"a\"");
  CHECK(fixture.Outcome("{\"user_id\":1,\"user_id\":1}") == "invalid_request");
  CHECK(fixture.Outcome("{\"user_id\":\"x\",\"y\":1}") == "invalid_request");
}

TEST_CASE("of several errors the first kind wins: shape, plan, params") {
  CheckRows({
      {"{\"plan\":\"nope\",\"user_id\":-1}", "invalid_request"},
      {"{\"plan\":\"nope\",\"params\":{\"nope\":1}}", "unknown_plan"},
      {"{\"plan\":\"nope\",\"output_keys\":[1]}", "invalid_request"},
      {"{\"plan\":\"nope\",\"output_keys\":[\"nope\"]}", "unknown_plan"},
      {"{\"params\":{\"nope\":1},\"nope\":1}", "invalid_request"},
      {"{\"params\":{\"nope\":1},\"output_keys\":[\"nope\"]}", "invalid_request"},
  });
}

TEST_CASE("a deprecated name is noted once") {
  Fixture fixture;
  for (int i = 0; i < 3; ++i) {
    CHECK(fixture.Outcome("{\"params\":{\"old_param\":1},\"output_keys\":[\"old_key\"]}") == "ok");
  }
  CHECK(fixture.notes == std::vector<std::string>{"the key \"old_key\" is deprecated",
                                                  "the param \"old_param\" is deprecated"});
}

TEST_CASE("long texts in messages are cut between characters") {
  Fixture fixture;
  std::string long_text(39, 'a');
  for (int i = 0; i < 1000; ++i) long_text += "\xC3\xA9";
  CHECK(fixture.Outcome("{\"user_id\":\"" + long_text + "\"}") == "invalid_request");
  CHECK(fixture.message.ends_with("not the string \"" + std::string(39, 'a') + "\"…"));
}

TEST_CASE("a large request leaves the parser as it was") {
  Fixture fixture;
  const std::string large(3 << 20, 'x');
  CHECK(fixture.Outcome("{\"params\":{\"pattern\":\"" + large + "\"}}") == "ok");
  CHECK(fixture.ParamValue("pattern") == Value(large));
  CHECK(fixture.Outcome(Nested(65, "[", "]", "")) == "invalid_json");
  CHECK(fixture.Outcome("{\"user_id\":1}") == "ok");
}

}  // namespace
}  // namespace rankd
