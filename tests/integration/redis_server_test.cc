// The Redis client against a real server.
#include "tests/support/redis_server.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/json.h"
#include "engine/kv/memory/memory_store.h"
#include "tests/support/redis_asker.h"

namespace rankd {
namespace {

using namespace std::string_view_literals;
using std::chrono::milliseconds;
using Listen = RedisServer::Listen;

TEST_CASE("a pipeline is answered in order, over a unix socket and over TCP") {
  for (const Listen listen : {Listen::kUnix, Listen::kTcp}) {
    RedisServer server(listen);
    server.Command({"HSET", "user:1", "country", "US", "age", "30"});
    server.Command({"RPUSH", "follow:1", "1", "2", "3"});
    RedisAsker asker(server.options());
    CommandBatch batch;
    batch.LRange("follow:1", 0, -1);
    batch.HGetAll("user:1");
    const HashFieldNames fields({"age", "none"});
    batch.HMGet("user:1", fields);
    batch.HGetAll("follow:1");
    batch.HGetAll("user:2");
    CHECK(asker.Ask(std::move(batch)) ==
          R"(["1","2","3"] ["country","US","age","30"] ["30",nil] )"
          "-WRONGTYPE Operation against a key holding the wrong kind of value []");
    CHECK(asker.client->in_flight() == 0);
    CHECK(asker.client->name() == "redis_default");
  }
}

TEST_CASE("the memory store answers as the server it is loaded into does") {
  RedisServer server(Listen::kUnix);
  std::vector<Error> problems;
  const auto store = MemoryStore::FromJson(
      R"({"h":{"s":"x","i":7,"f":0.1,"g":1e300,"b":true,"e":"","é\u0000":"\r\n"},
          "l":[0,1,2,3,4,"a\u0000b",-9223372036854775808],"s":"text","none":[],"no":{}})",
      problems);
  REQUIRE(problems.empty());
  std::string load;
  AppendLoadCommands(*store, load);
  server.Send(load);
  server.Send(load);  // loading twice gives the same

  CommandBatch batch;
  const HashFieldNames fields({"i", "none", "s", "i", "", "é\0"});
  const HashFieldNames no_fields({});
  for (const std::string_view key : {"h"sv, "l"sv, "s"sv, "none"sv, "no"sv, ""sv, "missing"sv}) {
    batch.HGetAll(key);
    batch.HMGet(key, fields);
    batch.HMGet(key, no_fields);
    for (const std::int64_t from : {0, 2, 6, 7, -1, -3, -7, -100, 100}) {
      for (const std::int64_t to : {0, 2, 6, 7, -1, -3, -7, -100, 100}) {
        batch.LRange(key, from, to);
      }
    }
  }
  const std::string expected = ReplyText(AnswerFromStore(store, batch));
  RedisAsker asker(server.options());
  CHECK(asker.Ask(std::move(batch)) == expected);
}

TEST_CASE("keys and values are bytes") {
  RedisServer server(Listen::kUnix);
  const std::string_view odd = "a\r\nb\0%s\xff\xfe é"sv;
  server.Command({"HSET", odd, odd, odd});
  RedisAsker asker(server.options());
  const std::string quoted = '"' + std::string(odd) + '"';
  CHECK(asker.Ask(odd) == "[" + quoted + "," + quoted + "]");
}

TEST_CASE("ten thousand commands go out as one pipeline") {
  RedisServer server(Listen::kTcp);
  std::string load;
  CommandBatch batch;
  std::string expected;
  for (int i = 0; i < 10'000; ++i) {
    const std::string number = std::to_string(i);
    AppendCommandHead(load, 4);
    for (const std::string_view part : {"HSET"sv, std::string_view(number), "n"sv}) {
      AppendBulkString(load, part);
    }
    AppendBulkString(load, number);
    batch.HGetAll(number);
    expected += (i > 0 ? " [\"n\",\"" : "[\"n\",\"") + number + "\"]";
  }
  server.Send(load);
  RedisAsker asker(server.options());
  CHECK(asker.Ask(std::move(batch)) == expected);
}

TEST_CASE("a value of 64 MB comes through, and nothing of it stays when nobody waits") {
  RedisServer server(Listen::kUnix);
  const std::string large(std::size_t{64} << 20, 'x');
  server.Command({"HSET", "large", "v", large});
  RedisAsker asker(server.options());
  const auto request = asker.Submit("large");
  REQUIRE(asker.RunUntil([&] { return request->told; }));
  REQUIRE(request->replies[0].size == 2);
  CHECK((&request->replies[0] + 2)->text() == large);
  const auto dropped = asker.Submit("large");
  asker.RunFor(milliseconds(5));
  dropped->Abandon();
  CHECK(asker.client->in_flight() == 0);
  CHECK(asker.Ask("none") == "[]");
}

TEST_CASE("passwords, users and databases are asked for before anything else") {
  RedisServer server(Listen::kTcp,
                     {"--requirepass", "s3cret", "--user", "me", "on", ">pw", "~*", "+@all"});
  std::string setup;
  for (const auto& command :
       {std::vector<std::string>{"AUTH", "s3cret"}, {"SELECT", "3"}, {"HSET", "h", "db", "3"}}) {
    AppendCommandHead(setup, command.size());
    for (const std::string& argument : command) AppendBulkString(setup, argument);
  }
  server.Send(setup);
  struct Case {
    const char* username;
    const char* password;
    int db;
    std::string expected;
  };
  const std::string at =
      "redis_unavailable: endpoint redis_default at 127.0.0.1:" + std::to_string(server.port()) +
      ": ";
  for (const Case& c :
       {Case{"", "s3cret", 3, R"(["db","3"])"}, Case{"me", "pw", 3, R"(["db","3"])"},
        Case{"", "s3cret", 0, "[]"},
        Case{"", "wrong", 3,
             at + "AUTH: WRONGPASS invalid username-password pair or user is disabled."},
        Case{"me", "wrong", 0,
             at + "AUTH: WRONGPASS invalid username-password pair or user is disabled."},
        Case{"", "", 3, at + "SELECT: NOAUTH Authentication required."},
        Case{"", "s3cret", 99, at + "SELECT: ERR DB index is out of range"},
        Case{"", "", 0, "-NOAUTH Authentication required."}}) {
    RedisOptions options = server.options();
    options.username = c.username;
    options.password = c.password;
    options.db = c.db;
    RedisAsker asker(std::move(options));
    CHECK(asker.Ask("h") == c.expected);
  }
}

TEST_CASE("a server that is killed fails what is in flight, and is found again") {
  for (const Listen listen : {Listen::kUnix, Listen::kTcp}) {
    RedisServer server(listen);
    RedisAsker asker(server.options());
    CHECK(asker.Ask("h") == "[]");
    server.Pause();
    const auto first = asker.Submit("h");
    const auto second = asker.Submit("h");
    asker.RunFor(milliseconds(5));
    CHECK(asker.client->in_flight() == 2);
    server.Kill();
    REQUIRE(asker.RunUntil([&] { return first->told && second->told; }));
    CHECK(first->text.starts_with("redis_unavailable: endpoint redis_default at "));
    CHECK(second->text.find("connection lost: ") != std::string::npos);
    CHECK(asker.client->in_flight() == 0);
    asker.RunFor(milliseconds(50));
    // Between attempts it fails at once, during one soon.
    CHECK(asker.Ask("h").starts_with("redis_unavailable: "));
    server.Start();
    server.Command({"HSET", "h", "back", "yes"});
    std::string answer;
    for (int i = 0; i < 100 && !answer.starts_with("["); ++i) {
      answer = asker.Ask("h");
      asker.RunFor(milliseconds(20));
    }
    CHECK(answer == R"(["back","yes"])");
  }
}

TEST_CASE("a server killed again and again under load answers or fails every request once") {
  RedisServer server(Listen::kUnix);
  RedisOptions options = server.options();
  options.max_inflight = 4;
  RedisAsker asker(std::move(options));
  int answered = 0;
  int failed = 0;
  std::vector<std::unique_ptr<AskedRequest>> all;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 200; ++i) {
      auto request = asker.Submit("k" + std::to_string(i));
      request->then = [&, self = request.get()] {
        (self->text == "[]" ? answered : failed) += 1;
        if (self->text != "[]") CHECK(self->text.starts_with("redis_unavailable: "));
      };
      if (request->told) request->then();
      all.push_back(std::move(request));
      if (i == 100) {
        asker.RunFor(milliseconds(1));
        server.Kill();
      }
      if (i % 50 == 0) asker.RunFor(milliseconds(1));
    }
    REQUIRE(asker.RunUntil([&] { return all.back()->told; }));
    server.Start();
    asker.RunFor(milliseconds(1100));  // a backoff at most
  }
  CHECK(answered + failed == 1000);
  CHECK(answered > 0);
  CHECK(failed > 0);
  CHECK(asker.client->in_flight() == 0);
}

TEST_CASE("a server that stands still times requests out, and its late replies reach nobody") {
  RedisServer server(Listen::kTcp);
  for (int i = 0; i < 20; ++i) {
    server.Command({"HSET", "k" + std::to_string(i), "n", std::to_string(i)});
  }
  RedisOptions options = server.options();
  options.max_inflight = 4;
  options.request_timeout = milliseconds(150);
  RedisAsker asker(std::move(options));
  CHECK(asker.Ask("k0") == R"(["n","0"])");
  server.Pause();
  std::vector<std::unique_ptr<AskedRequest>> late;
  const TimePoint start = asker.loop.Now();
  for (int i = 0; i < 4; ++i) late.push_back(asker.Submit("k" + std::to_string(i)));
  const auto queued = asker.Submit("k7");
  REQUIRE(asker.RunUntil([&] { return late.back()->told; }));
  const Duration took = asker.loop.Now() - start;
  CHECK(took >= milliseconds(150));
  CHECK(took < milliseconds(300));
  for (const auto& request : late) {
    CHECK(request->text == "redis_timeout: endpoint redis_default at 127.0.0.1:" +
                               std::to_string(server.port()) + ": no reply within 150 ms");
  }
  // Their places are free: the queued one has been sent.
  CHECK_FALSE(queued->told);
  CHECK(asker.client->in_flight() == 1);
  server.Continue();
  REQUIRE(asker.RunUntil([&] { return queued->told; }));
  CHECK(queued->text == R"(["n","7"])");
  for (int i = 8; i < 20; ++i) {
    CHECK(asker.Ask("k" + std::to_string(i)) == R"(["n",")" + std::to_string(i) + "\"]");
  }
}

TEST_CASE("a connection whose oldest command is a second old is given up") {
  RedisServer server(Listen::kUnix);
  RedisOptions options = server.options();
  options.request_timeout = milliseconds(100);
  RedisAsker asker(std::move(options));
  CHECK(asker.Ask("k") == "[]");
  server.Pause();
  const TimePoint start = asker.loop.Now();
  const auto first = asker.Submit("k");
  REQUIRE(asker.RunUntil([&] { return first->told; }));
  CHECK(first->text.starts_with("redis_timeout: "));
  asker.RunFor(milliseconds(850));
  const auto last = asker.Submit("k");  // its own time is not up when the connection goes
  REQUIRE(asker.RunUntil([&] { return last->told; }));
  CHECK(last->text.ends_with(": connection lost: no reply for 1000 ms"));
  CHECK(asker.loop.Now() - start >= milliseconds(1000));
  server.Continue();
  std::string answer;
  for (int i = 0; i < 100 && answer != "[]"; ++i) {
    answer = asker.Ask("k");
    asker.RunFor(milliseconds(10));
  }
  CHECK(answer == "[]");
}

TEST_CASE("a refused connection is told at once, by name, and tried again in the background") {
  RedisOptions options;
  options.name = "cache";
  options.port = FreePort();
  const std::string refused =
      "redis_unavailable: endpoint cache at 127.0.0.1:" + std::to_string(options.port) +
      ": connection refused";
  RedisAsker asker(options);
  CHECK(asker.Ask("k") == refused);
  // Between attempts: from within Submit.
  const auto at_once = asker.Submit("k");
  CHECK(at_once->told);
  CHECK(at_once->text == refused);
  options.unix_socket = "/nowhere/redis.sock";
  CHECK(RedisAsker(options).Ask("k") ==
        "redis_unavailable: endpoint cache at /nowhere/redis.sock: no such file or directory");
  options.unix_socket = "/" + std::string(200, 'x');
  CHECK(RedisAsker(options).Ask("k").ends_with(": name too long"));
}

TEST_CASE("a name is looked up and each of its addresses tried") {
  RedisServer server(Listen::kTcp);  // on 127.0.0.1 only
  RedisOptions options = server.options();
  options.host = "localhost";
  RedisAsker asker(options);
  CHECK(asker.Ask("k") == "[]");
  options.host = "no-such-host.invalid";
  options.connect_timeout = std::chrono::seconds(20);
  const std::string answer = RedisAsker(options).Ask("k");
  CHECK(answer.starts_with("redis_unavailable: endpoint redis_default at no-such-host.invalid:"));
}

TEST_CASE("an address of IPv6 is written in brackets") {
  RedisOptions options;
  options.host = "::1";
  options.port = FreePort();
  CHECK(RedisAsker(options).Ask("k").find(" at [::1]:" + std::to_string(options.port) + ": ") !=
        std::string::npos);
}

}  // namespace
}  // namespace rankd
