#include "engine/plan/endpoints.h"

#include <doctest/doctest.h>

#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

EndpointTable ParseTable(std::string_view json, Problems& problems) {
  const JsonDocument document = MustParse(json);
  return ParseEndpoints(document.root(), problems);
}

constexpr std::string_view kTwo = R"({"endpoints":[
  {"endpoint_id":"ep_0001","name":"redis_default","kind":"redis",
   "resolver":{"type":"static","host":"10.0.0.1","port":6380},
   "policy":{"max_inflight":8,"connect_timeout_ms":70,"request_timeout_ms":900},
   "db":3,"username_env":"U","password_env":"P"},
  {"name":"mem","kind":"memory","data":"demo.json","latency_ms":{"hgetall":10,"LRANGE":15}}]})";

TEST_CASE("endpoints are read with their defaults") {
  Problems problems;
  const EndpointTable table = ParseTable(kTwo, problems);
  CheckErrors(problems, {});
  REQUIRE(table.all().size() == 2);
  const EndpointSpec& redis = table.all()[0];
  CHECK(redis.kind == EndpointKind::kRedis);
  CHECK(redis.host == "10.0.0.1");
  CHECK(redis.port == 6380);
  CHECK(redis.db == 3);
  CHECK(redis.username_env == "U");
  CHECK(redis.password_env == "P");
  CHECK(redis.max_inflight == 8);
  CHECK(redis.connect_timeout == milliseconds(70));
  CHECK(redis.request_timeout == milliseconds(900));
  const EndpointSpec& memory = table.all()[1];
  CHECK(memory.kind == EndpointKind::kMemory);
  CHECK(memory.data == "demo.json");
  CHECK(memory.max_inflight == 64);
  CHECK(memory.connect_timeout == milliseconds(50));
  CHECK(memory.request_timeout == milliseconds(1000));
  REQUIRE(memory.latency.by_command.size() == 2);
  CHECK(memory.latency.by_command[0].command == "HGETALL");
  CHECK(memory.latency.by_command[0].latency == milliseconds(10));
}

TEST_CASE("an endpoint is found by its id and by its name") {
  Problems problems;
  const EndpointTable table = ParseTable(kTwo, problems);
  CHECK(table.Find("ep_0001") == EndpointId{0});
  CHECK(table.Find("redis_default") == EndpointId{0});
  CHECK(table.Find("mem") == EndpointId{1});
  CHECK(!table.Find(""));
  CHECK(!table.Find("other"));
}

TEST_CASE("one latency may hold for all commands, and an id may serve as the name") {
  Problems problems;
  const EndpointTable table =
      ParseTable(R"({"endpoints":[{"endpoint_id":"e","kind":"memory","latency_ms":7}]})", problems);
  CheckErrors(problems, {});
  CHECK(table.all()[0].latency.all == milliseconds(7));
  CHECK(table.all()[0].name == "e");
}

TEST_CASE("mistakes in endpoints are named at their place") {
  struct Case {
    std::string_view json;
    std::vector<ExpectedProblem> errors;
  };
  const Case cases[] = {
      {"[]", {{"", "an endpoints file must be an object"}}},
      {"{}", {{"/endpoints", "missing"}}},
      {R"({"endpoint":[]})",
       {{"/endpoint", "did you mean \"endpoints\"?"}, {"/endpoints", "missing"}}},
      {R"({"endpoints":{}})", {{"/endpoints", "an array"}}},
      {R"({"endpoints":[7]})", {{"/endpoints/0", "an object, not 7"}}},
      {R"({"endpoints":[{}]})",
       {{"/endpoints/0/name", "needs a \"name\""}, {"/endpoints/0/kind", "missing"}}},
      {R"({"endpoints":[{"name":"a","kind":"reddis"}]})",
       {{"/endpoints/0/kind", "did you mean \"redis\"?"}}},
      {R"({"endpoints":[{"name":"","kind":"redis"}]})", {{"/endpoints/0/name", "empty"}}},
      {R"({"endpoints":[{"name":"a","kind":"redis","polcy":{}}]})",
       {{"/endpoints/0/polcy", "did you mean \"policy\"?"}}},
      {R"({"endpoints":[{"name":"a","kind":"redis","data":"x","latency_ms":1}]})",
       {{"/endpoints/0/data", "kind \"memory\""}, {"/endpoints/0/latency_ms", "kind \"memory\""}}},
      {R"({"endpoints":[{"name":"a","kind":"memory","db":1,"unix_socket":"/x"}]})",
       {{"/endpoints/0/db", "kind \"redis\""}, {"/endpoints/0/unix_socket", "kind \"redis\""}}},
      {R"({"endpoints":[{"name":"a","kind":"redis","db":-1}]})", {{"/endpoints/0/db", "from 0"}}},
      {R"({"endpoints":[{"name":"a","kind":"redis","resolver":{"type":"dns","port":70000,"hst":1}}]})",
       {{"/endpoints/0/resolver/type", "\"dns\""},
        {"/endpoints/0/resolver/port", "from 1 to 65535"},
        {"/endpoints/0/resolver/hst", "did you mean \"host\"?"}}},
      {R"({"endpoints":[{"name":"a","kind":"redis","resolver":"x","policy":[]}]})",
       {{"/endpoints/0/resolver", "an object"}, {"/endpoints/0/policy", "an object"}}},
      {R"({"endpoints":[{"name":"a","kind":"redis","policy":{"max_inflight":0,"connect_timeout_ms":"1","request_timeout_ms":0}}]})",
       {{"/endpoints/0/policy/max_inflight", "from 1"},
        {"/endpoints/0/policy/connect_timeout_ms", "not the string"},
        {"/endpoints/0/policy/request_timeout_ms", "from 1"}}},
      {R"({"endpoints":[{"name":"a","kind":"memory","latency_ms":-1}]})",
       {{"/endpoints/0/latency_ms", "from 0"}}},
      {R"({"endpoints":[{"name":"a","kind":"memory","latency_ms":{"HGETALL":"x"}}]})",
       {{"/endpoints/0/latency_ms/HGETALL", "from 0"}}},
      {R"({"endpoints":[{"name":"a","kind":"redis"},{"endpoint_id":"a","name":"b","kind":"redis"},
                        {"name":"b","kind":"redis"}]})",
       {{"/endpoints/1/endpoint_id", "another endpoint"}, {"/endpoints/2/name", "another"}}},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.json));
    Problems problems;
    ParseTable(one.json, problems);
    CheckErrors(problems, one.errors);
  }
}

TEST_CASE("redirecting points every endpoint at one server and changes nothing else") {
  Problems problems;
  EndpointTable table = ParseTable(kTwo, problems);
  const Result<RedisUrl> url = ParseRedisUrl("redis://me:secret@cache:7000/5");
  REQUIRE(url);
  table.RedirectTo(*url);
  for (const EndpointSpec& spec : table.all()) {
    CHECK(spec.kind == EndpointKind::kRedis);
    CHECK(spec.host == "cache");
    CHECK(spec.port == 7000);
    CHECK(spec.db == 5);
    CHECK(spec.username == "me");
    CHECK(spec.password == "secret");
    CHECK(spec.username_env.empty());
    CHECK(spec.password_env.empty());
  }
  CHECK(table.all()[0].max_inflight == 8);
  CHECK(table.Find("mem") == EndpointId{1});
}

/// host|port|db|username|password|unix_socket
std::string Show(const RedisUrl& url) {
  return url.host + "|" + std::to_string(url.port) + "|" + std::to_string(url.db) + "|" +
         url.username + "|" + url.password + "|" + url.unix_socket;
}

TEST_CASE("a Redis URL is taken apart") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"redis://h", "h|6379|0|||"},
      {"REDIS://h:1", "h|1|0|||"},
      {"redis://h:65535/", "h|65535|0|||"},
      {"redis://h/12", "h|6379|12|||"},
      {"redis://", "127.0.0.1|6379|0|||"},
      {"redis://:7000", "127.0.0.1|7000|0|||"},
      {"redis://[::1]:7000/1", "::1|7000|1|||"},
      {"redis://[fe80::1]", "fe80::1|6379|0|||"},
      {"redis://u:p@h", "h|6379|0|u|p|"},
      {"redis://:p@h", "h|6379|0||p|"},
      {"redis://p@h", "h|6379|0||p|"},
      {"redis://u%40x:p%3A%2f@h", "h|6379|0|u@x|p:/|"},
      {"redis://u:p@q@h", "h|6379|0|u|p@q|"},
      {"unix:///run/redis%20x.sock", "|6379|0|||/run/redis x.sock"},
  };
  for (const auto& [text, parts] : cases) {
    CAPTURE(std::string(text));
    const Result<RedisUrl> url = ParseRedisUrl(text);
    REQUIRE(url);
    CHECK(Show(*url) == parts);
  }
}

TEST_CASE("a bad Redis URL is refused without showing its password") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "must begin with redis://"},
      {"localhost:6379", "must begin with redis://"},
      {"rediss://u:hunter2@h", "lacks the scheme \"rediss://\""},
      {"http://u:hunter2@h", "\"http://\""},
      {"redis://u:hunter2@h:0", "port"},
      {"redis://u:hunter2@h:x", "port"},
      {"redis://u:hunter2@h:65536", "port"},
      {"redis://u:hunter2@h/x", "database"},
      {"redis://u:hunter2@h/-1", "database"},
      {"redis://u:hunter2@h/1/2", "database"},
      {"redis://u:hunter2@h?db=1", "without ?"},
      {"redis://u:hunter2%@h", "two hex digits"},
      {"redis://u:hunter2%0@h", "two hex digits"},
      {"redis://u:hunter2%00@h", "NUL"},
      {"redis://[::1", "["},
      {"redis://[::1]x", "after ]"},
      {"redis://::1", "port"},
      {"unix://path", "unix:///path"},
      {"unix:///", "unix:///path"},
      {"unix://", "unix:///path"},
  };
  for (const auto& [text, part] : cases) {
    CAPTURE(std::string(text));
    const Result<RedisUrl> url = ParseRedisUrl(text);
    REQUIRE(!url);
    CHECK(url.error().code == ErrorCode::kInvalidRequest);
    CHECK(url.error().message.find(part) != std::string::npos);
    CHECK(url.error().message.find("hunter2") == std::string::npos);
  }
}

}  // namespace
}  // namespace rankd
