#include "engine/wire/response.h"

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

KeySpec OutputKey(std::string name, ValueType type) {
  KeySpec spec;
  spec.name = std::move(name);
  spec.type = type;
  return spec;
}

/// Keys whose order of ids is not the alphabetical one.
struct Keys {
  Keys() {
    score = schema->AddKey(OutputKey("score", ValueType::kFloat));
    country = schema->AddKey(OutputKey("country", ValueType::kString));
    n = schema->AddKey(OutputKey("n", ValueType::kInt));
    flag = schema->AddKey(OutputKey("flag", ValueType::kBool));
  }
  Request MakeRequest() const {
    auto plan = std::make_shared<PlanInterface>();
    plan->schema = schema;
    plan->alphabetical_keys = {country, flag, n, score};
    Request request;
    request.id_json = "\"a\"";
    request.plan = std::move(plan);
    return request;
  }

  std::shared_ptr<Schema> schema = std::make_shared<Schema>();
  KeyId score, country, n, flag;
};

ColumnRef Make(ValueType type, const std::vector<Value>& values) {
  ColumnBuilder builder(type);
  for (const Value& value : values) builder.Append(value);
  return std::move(builder).Finish();
}

ColumnRef Ids(std::vector<std::int64_t> ids) { return Column::Make(std::move(ids)); }

std::string Success(const Request& request, const std::vector<RowSet>& outputs) {
  std::string out = "before\n";
  AppendSuccess(out, request, outputs);
  REQUIRE(out.starts_with("before\n"));
  return out.substr(7);
}

TEST_CASE("without rows the candidates are an empty array") {
  const Keys keys;
  const Request request = keys.MakeRequest();
  CHECK(Success(request, {}) == "{\"request_id\":\"a\",\"candidates\":[]}\n");
  CHECK(Success(request, {RowSet(), RowSet(Ids({}))}) ==
        "{\"request_id\":\"a\",\"candidates\":[]}\n");
}

TEST_CASE("fields stand in alphabetical order, nulls are left out") {
  const Keys keys;
  const RowSet rows({{kIdKey, Ids({3, -1, std::numeric_limits<std::int64_t>::min()})},
                     {keys.score, Make(ValueType::kFloat, {0.6, Value(), 1e16})},
                     {keys.country, Make(ValueType::kString, {"US", "CA", Value()})},
                     {keys.n, Make(ValueType::kInt,
                                   {Value(), Value(), std::numeric_limits<std::int64_t>::max()})},
                     {keys.flag, Make(ValueType::kBool, {true, Value(), false})}});
  CHECK(Success(keys.MakeRequest(), {rows}) ==
        "{\"request_id\":\"a\",\"candidates\":["
        "{\"id\":3,\"fields\":{\"country\":\"US\",\"flag\":true,\"score\":0.6}},"
        "{\"id\":-1,\"fields\":{\"country\":\"CA\"}},"
        "{\"id\":-9223372036854775808,\"fields\":{\"flag\":false,\"n\":9223372036854775807,"
        "\"score\":1e+16}}]}\n");
}

TEST_CASE("floats are the shortest text that reads back") {
  const Keys keys;
  const RowSet rows({{kIdKey, Ids({1, 2, 3, 4, 5})},
                     {keys.score, Make(ValueType::kFloat, {0.1, 100000.0, 5e-324, -0.0, 1e22})}});
  CHECK(Success(keys.MakeRequest(), {rows}) ==
        "{\"request_id\":\"a\",\"candidates\":["
        "{\"id\":1,\"fields\":{\"score\":0.1}},{\"id\":2,\"fields\":{\"score\":100000.0}},"
        "{\"id\":3,\"fields\":{\"score\":5e-324}},{\"id\":4,\"fields\":{\"score\":-0.0}},"
        "{\"id\":5,\"fields\":{\"score\":1e+22}}]}\n");
}

TEST_CASE("strings are escaped where JSON demands it only") {
  const Keys keys;
  const RowSet rows(
      {{kIdKey, Ids({7})},
       {keys.country, Make(ValueType::kString,
                           {std::string("a\"\\\n\r\t\b\f/\0\x1F\x7F\xC3\xA9\xE2\x80\xA8", 17)})}});
  CHECK(Success(keys.MakeRequest(), {rows}) ==
        "{\"request_id\":\"a\",\"candidates\":[{\"id\":7,\"fields\":{\"country\":"
        "\"a\\\"\\\\\\n\\r\\t\\b\\f/\\u0000\\u001f\x7F\xC3\xA9\xE2\x80\xA8\"}}]}\n");
}

TEST_CASE("output_keys choose among the keys the rows carry") {
  const Keys keys;
  const RowSet rows({{kIdKey, Ids({1})},
                     {keys.score, Make(ValueType::kFloat, {0.5})},
                     {keys.country, Make(ValueType::kString, {"US"})}});
  Request request = keys.MakeRequest();
  request.output_keys = std::vector<KeyId>{keys.n, keys.score};
  CHECK(Success(request, {rows}) ==
        "{\"request_id\":\"a\",\"candidates\":[{\"id\":1,\"fields\":{\"score\":0.5}}]}\n");
  request.output_keys = std::vector<KeyId>{};
  CHECK(Success(request, {rows}) ==
        "{\"request_id\":\"a\",\"candidates\":[{\"id\":1,\"fields\":{}}]}\n");
}

TEST_CASE("rows follow the selection, and the outputs each other") {
  const Keys keys;
  const RowSet base(
      {{kIdKey, Ids({1, 2, 3})},
       {keys.n, Make(ValueType::kInt, {std::int64_t{10}, Value(), std::int64_t{30}})}});
  const RowSet picked =
      base.WithSelection(std::make_shared<const Selection>(Selection{2, 0, 1, 2}));
  const RowSet other({{kIdKey, Ids({9})}, {keys.flag, Make(ValueType::kBool, {true})}});
  CHECK(Success(keys.MakeRequest(), {picked, RowSet(), other}) ==
        "{\"request_id\":\"a\",\"candidates\":["
        "{\"id\":3,\"fields\":{\"n\":30}},{\"id\":1,\"fields\":{\"n\":10}},"
        "{\"id\":2,\"fields\":{}},{\"id\":3,\"fields\":{\"n\":30}},"
        "{\"id\":9,\"fields\":{\"flag\":true}}]}\n");
}

TEST_CASE("more keys than fit the layout's own memory are written all the same") {
  auto schema = std::make_shared<Schema>();
  std::vector<RowSet::Entry> entries = {{kIdKey, Ids({1})}};
  std::string want = "{\"request_id\":\"a\",\"candidates\":[{\"id\":1,\"fields\":{";
  for (int i = 999; i >= 100; --i) {
    const std::string name = "key_with_a_long_name_" + std::to_string(i);
    entries.push_back({schema->AddKey(OutputKey(name, ValueType::kInt)),
                       Make(ValueType::kInt, {std::int64_t{i}})});
  }
  for (int i = 100; i <= 999; ++i) {
    want += "\"key_with_a_long_name_" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  }
  want.back() = '}';
  Request request;
  request.id_json = "\"a\"";
  auto plan = std::make_shared<PlanInterface>();
  plan->schema = schema;
  request.plan = plan;
  CHECK(Success(request, {RowSet(std::move(entries))}) == want + "}]}\n");
}

std::string Failure(std::string_view id_json, const Error& error) {
  std::string out;
  AppendFailure(out, id_json, error);
  return out;
}

TEST_CASE("a failure names node and op where one is to blame") {
  Error error(ErrorCode::kInvalidParam, "no \"x\"\n");
  CHECK(Failure("7", error) ==
        "{\"request_id\":7,\"error\":{\"code\":\"invalid_param\",\"message\":\"no "
        "\\\"x\\\"\\n\"}}\n");
  error.node = "n1";
  error.op = "take";
  error.pointer = "/nodes/1";
  CHECK(Failure("\"line:3\"", error) ==
        "{\"request_id\":\"line:3\",\"error\":{\"code\":\"invalid_param\",\"message\":"
        "\"no \\\"x\\\"\\n\",\"node\":\"n1\",\"op\":\"take\"}}\n");
}

TEST_CASE("a message that is not UTF-8 is mended") {
  const auto message_of = [](std::string message) {
    const std::string line = Failure("1", Error(ErrorCode::kBadData, std::move(message)));
    const std::string head = "{\"request_id\":1,\"error\":{\"code\":\"bad_data\",\"message\":\"";
    REQUIRE(line.starts_with(head));
    return line.substr(head.size(), line.size() - head.size() - 4);
  };
  CHECK(message_of("key \xFF!") == "key \xEF\xBF\xBD!");
  CHECK(message_of("\xC3\xA9\xC3") == "\xC3\xA9\xEF\xBF\xBD");
  CHECK(message_of("\xF0\x9F\x98\x80\x80x") == "\xF0\x9F\x98\x80\xEF\xBF\xBDx");
  CHECK(message_of("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("a traced response carries its trace, a failed one its time besides") {
  const Keys keys;
  const Request request = keys.MakeRequest();
  ResponseTrace trace;
  trace.json = "{\"nodes\":[]}";
  trace.elapsed = std::chrono::nanoseconds(1'234'567);
  std::string out;
  AppendSuccess(out, request, {}, &trace);
  CHECK(out == "{\"request_id\":\"a\",\"candidates\":[],\"trace\":{\"nodes\":[]}}\n");
  out.clear();
  AppendFailure(out, "7", Error(ErrorCode::kBadData, "no"), &trace);
  CHECK(
      out ==
      "{\"request_id\":7,\"error\":{\"code\":\"bad_data\",\"message\":\"no\",\"elapsed_ms\":1.234},"
      "\"trace\":{\"nodes\":[]}}\n");
}

}  // namespace
}  // namespace rankd
