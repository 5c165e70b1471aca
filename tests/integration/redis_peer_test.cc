// The Redis client against peers that misbehave.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/coro/co.h"
#include "tests/support/redis_asker.h"
#include "tests/support/redis_server.h"
#include "tests/support/scripted_peer.h"
#include "tests/support/started.h"

namespace rankd {
namespace {

using namespace std::string_view_literals;
using std::chrono::milliseconds;

RedisOptions OptionsOf(const ScriptedPeer& peer) {
  RedisOptions options;
  options.name = "peer";
  options.port = peer.port();
  options.connect_timeout = std::chrono::seconds(10);
  options.request_timeout = std::chrono::seconds(20);
  return options;
}

/// Answers HGETALL k with ["k","v"], until the client goes.
void Echo(PeerConnection& connection) {
  for (;;) {
    const std::vector<std::string> command = connection.ReadCommand();
    if (command.size() < 2) return;
    const std::string& key = command[1];
    connection.Send("*2\r\n$" + std::to_string(key.size()) + "\r\n" + key + "\r\n$1\r\nv\r\n");
  }
}

std::string EchoOf(const std::string& key) { return "[\"" + key + "\",\"v\"]"; }

TEST_CASE("error replies are replies") {
  ScriptedPeer peer([](PeerConnection& connection) {
    for (const auto reply :
         {"-LOADING Redis is loading\r\n"sv, "-MOVED 1 10.0.0.1:6379\r\n"sv, "-ERR no\r\n"sv}) {
      connection.ReadCommand();
      connection.Send(reply);
    }
    connection.WaitForClose();
  });
  RedisAsker asker(OptionsOf(peer));
  CHECK(asker.Ask("a") == "-LOADING Redis is loading");
  CHECK(asker.Ask("b") == "-MOVED 1 10.0.0.1:6379");
  CHECK(asker.Ask("c") == "-ERR no");
}

TEST_CASE("a peer that does not speak RESP loses everything in flight") {
  std::string deep;  // beyond the limit of every hiredis, and ours
  for (int i = 0; i < 40; ++i) deep += "*1\r\n";
  for (const std::string_view junk : {std::string_view(deep), "HTTP/1.1 400 Bad Request\r\n\r\n"sv,
                                      "\0\1\2\3"sv, "*1\r\n$-7\r\n"sv, "$3\r\nabcdef\r\n+x"sv,
                                      "*2\r\n*4294967295\r\n"sv, "$999999999999999999999\r\n"sv}) {
    ScriptedPeer peer([&](PeerConnection& connection) {
      connection.ReadCommand();
      connection.Send(connection.number() == 0 ? junk : "*0\r\n"sv);
      connection.WaitForClose();
    });
    RedisAsker asker(OptionsOf(peer));
    const auto first = asker.Submit("a");
    const auto second = asker.Submit("b");
    REQUIRE(asker.RunUntil([&] { return first->told && second->told; }));
    CHECK(second->text.find("connection lost: not a reply of Redis: ") != std::string::npos);
    CHECK(asker.client->in_flight() == 0);
  }
}

TEST_CASE("a reply that is cut off by the end of the connection is no reply") {
  ScriptedPeer peer([](PeerConnection& connection) {
    connection.ReadCommand();
    connection.Send("*2\r\n$7\r\ncountry\r\n$2\r\nU");
  });
  RedisAsker asker(OptionsOf(peer));
  CHECK(asker.Ask("a").ends_with(": connection lost: the server closed the connection"));
}

TEST_CASE("a peer that closes after each command is dialled again for the next") {
  ScriptedPeer peer([](PeerConnection& connection) {
    const std::vector<std::string> command = connection.ReadCommand();
    if (command.size() == 2) connection.Send("*1\r\n$1\r\n" + command[1] + "\r\n");
  });
  RedisAsker asker(OptionsOf(peer));
  int answered = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string text = asker.Ask("k");
    if (text == "[\"k\"]") {
      ++answered;
    } else {
      CHECK(text.starts_with("redis_unavailable: "));
    }
    asker.RunFor(milliseconds(5));
  }
  CHECK(answered >= 10);
}

TEST_CASE("a peer that closes at once is not dialled without pause") {
  ScriptedPeer peer([](PeerConnection&) {});
  RedisAsker asker(OptionsOf(peer));
  asker.Ask("k");
  asker.RunFor(milliseconds(400));
  CHECK(peer.accepted() >= 3);
  CHECK(peer.accepted() <= 20);
}

TEST_CASE("a reply that nobody asked for closes the connection") {
  ScriptedPeer peer([](PeerConnection& connection) {
    connection.ReadCommand();
    connection.Send("*0\r\n-ERR max number of clients reached\r\n");
    connection.WaitForClose();
  });
  RedisAsker asker(OptionsOf(peer));
  CHECK(asker.Ask("a") == "[]");
  REQUIRE(asker.RunUntil([&] { return peer.accepted() >= 2; }));
}

TEST_CASE("a slow peer's replies are put together from single bytes") {
  ScriptedPeer peer([](PeerConnection& connection) {
    while (!connection.ReadCommand().empty()) {
      for (const char byte : "*2\r\n$1\r\na\r\n:-7\r\n"sv) {
        connection.Send({&byte, 1});
        connection.Sleep(milliseconds(1));
      }
    }
  });
  RedisAsker asker(OptionsOf(peer));
  CHECK(asker.Ask("x") == R"(["a",-7])");
  CHECK(asker.Ask("y") == R"(["a",-7])");
}

TEST_CASE("a peer that never answers times out, without connecting again before its time") {
  ScriptedPeer peer([](PeerConnection& connection) { connection.WaitForClose(); });
  RedisOptions options = OptionsOf(peer);
  options.request_timeout = milliseconds(50);
  RedisAsker asker(std::move(options));
  const TimePoint start = asker.loop.Now();
  CHECK(asker.Ask("a").ends_with(": no reply within 50 ms"));
  CHECK(asker.loop.Now() - start >= milliseconds(50));
  CHECK(asker.Ask("b").ends_with(": no reply within 50 ms"));
  CHECK(peer.accepted() == 1);
}

TEST_CASE("replies that came while the loop was busy are not too late") {
  ScriptedPeer peer([](PeerConnection& connection) {
    connection.ReadCommand();
    connection.Sleep(milliseconds(50));
    connection.Send("*1\r\n:1\r\n");
    connection.WaitForClose();
  });
  RedisOptions options = OptionsOf(peer);
  options.request_timeout = milliseconds(150);
  RedisAsker asker(std::move(options));
  const auto request = asker.Submit("a");
  asker.RunFor(milliseconds(20));  // it has been sent
  class Busy final : public LoopTask {
   public:
    void OnLoop() override { std::this_thread::sleep_for(milliseconds(250)); }
  };
  Busy busy;
  asker.loop.Post(busy);
  REQUIRE(asker.RunUntil([&] { return request->told; }));
  CHECK(request->text == "[1]");
}

TEST_CASE("no more pipelines are in flight than allowed") {
  std::atomic<int> commands = 0;
  std::atomic<bool> answer = false;
  ScriptedPeer peer([&](PeerConnection& connection) {
    for (int i = 0; i < 3; ++i) {
      connection.ReadCommand();
      ++commands;
    }
    while (!answer) connection.Sleep(milliseconds(1));
    for (int i = 0; i < 3; ++i) connection.Send("*0\r\n");
    for (;;) {
      if (connection.ReadCommand().empty()) return;
      ++commands;
      connection.Send("*0\r\n");
    }
  });
  RedisOptions options = OptionsOf(peer);
  options.max_inflight = 3;
  RedisAsker asker(std::move(options));
  std::vector<std::unique_ptr<AskedRequest>> all;
  std::string order;
  for (int i = 0; i < 8; ++i) {
    all.push_back(asker.Submit("k"));
    all.back()->then = [&order, i] { order += std::to_string(i); };
  }
  asker.RunFor(milliseconds(50));
  CHECK(commands == 3);
  CHECK(asker.client->in_flight() == 3);
  // Abandoning one that waits and one in flight lets exactly one more go.
  all[4]->Abandon();
  all[1]->Abandon();
  CHECK(asker.client->in_flight() == 3);
  answer = true;
  REQUIRE(asker.RunUntil([&] { return all.back()->told; }));
  CHECK(order == "023567");
  CHECK(commands == 7);
}

TEST_CASE("the handshake counts against the connect timeout") {
  ScriptedPeer peer([](PeerConnection& connection) { connection.WaitForClose(); });
  RedisOptions options = OptionsOf(peer);
  options.password = "x";
  options.connect_timeout = milliseconds(60);
  RedisAsker asker(std::move(options));
  const TimePoint start = asker.loop.Now();
  CHECK(asker.Ask("a").ends_with(
      ": no connection within 60 ms (waiting for the answer to AUTH or SELECT)"));
  CHECK(asker.loop.Now() - start >= milliseconds(60));
}

TEST_CASE("a server that accepts no more connections is given up after the connect timeout") {
  // A full backlog: the system drops what comes beyond it.
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  REQUIRE(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(listen(listener, 0) == 0);
  REQUIRE(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  std::vector<int> fillers;
  for (int i = 0; i < 4; ++i) {
    fillers.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    connect(fillers.back(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
  }
  RedisOptions options;
  options.port = ntohs(address.sin_port);
  options.connect_timeout = milliseconds(70);
  RedisAsker asker(std::move(options));
  const TimePoint start = asker.loop.Now();
  CHECK(asker.Ask("k").ends_with(": no connection within 70 ms (connecting)"));
  CHECK(asker.loop.Now() - start >= milliseconds(70));
  for (const int fd : fillers) close(fd);
  close(listener);
}

TEST_CASE("a peer that does not read is written to as it goes, and timers go on") {
  std::atomic<bool> read = false;
  ScriptedPeer peer([&](PeerConnection& connection) {
    while (!read) connection.Sleep(milliseconds(1));
    Echo(connection);
  });
  RedisOptions options = OptionsOf(peer);
  options.request_timeout = milliseconds(500);  // stale after 5 s
  options.max_inflight = 1000;
  RedisAsker asker(std::move(options));
  const std::string key(100'000, 'k');
  std::vector<std::unique_ptr<AskedRequest>> all;
  for (int i = 0; i < 200; ++i) all.push_back(asker.Submit(key));  // 20 MB
  REQUIRE(asker.RunUntil([&] { return all.back()->told; }));
  for (const auto& request : all) CHECK(request->text.starts_with("redis_timeout: "));
  read = true;
  std::string answer;
  for (int i = 0; i < 20 && answer != EchoOf("z"); ++i) answer = asker.Ask("z");
  CHECK(answer == EchoOf("z"));
  CHECK(peer.accepted() == 1);
}

TEST_CASE("a request can be abandoned while the client connects") {
  ScriptedPeer peer(Echo);
  RedisAsker asker(OptionsOf(peer));
  const auto first = asker.Submit("a");
  const auto second = asker.Submit("b");
  first->Abandon();
  REQUIRE(asker.RunUntil([&] { return second->told; }));
  CHECK(second->text == EchoOf("b"));
  CHECK_FALSE(first->told);
}

TEST_CASE("a request can be abandoned during the handshake") {
  std::atomic<bool> go = false;
  ScriptedPeer peer([&](PeerConnection& connection) {
    connection.ReadCommand();
    while (!go) connection.Sleep(milliseconds(1));
    connection.Send("+OK\r\n");
    Echo(connection);
  });
  RedisOptions options = OptionsOf(peer);
  options.password = "x";
  RedisAsker asker(std::move(options));
  const auto first = asker.Submit("a");
  const auto second = asker.Submit("b");
  asker.RunFor(milliseconds(20));
  first->Abandon();
  go = true;
  REQUIRE(asker.RunUntil([&] { return second->told; }));
  CHECK(second->text == EchoOf("b"));
  CHECK_FALSE(first->told);
}

TEST_CASE("a request can be abandoned in the turn it was sent, and half-way through its replies") {
  std::atomic<bool> go = false;
  ScriptedPeer peer([&](PeerConnection& connection) {
    connection.ReadCommand();
    connection.Send("*2\r\n$5\r\nother\r\n");  // of the first pipeline
    connection.ReadCommand();
    while (!go) connection.Sleep(milliseconds(1));
    connection.Send("$1\r\nx\r\n*1\r\n:1\r\n");
    Echo(connection);
  });
  RedisAsker asker(OptionsOf(peer));
  CommandBatch two = HGetAllBatch("a");
  two.HGetAll("b");
  const auto first = asker.Submit(std::move(two));
  asker.RunFor(milliseconds(30));
  first->Abandon();
  const auto second = asker.Submit("c");
  second->Abandon();  // its commands are in the buffer
  const auto third = asker.Submit("d");
  go = true;
  REQUIRE(asker.RunUntil([&] { return third->told; }));
  CHECK(third->text == EchoOf("d"));
  CHECK_FALSE(first->told);
  CHECK_FALSE(second->told);
}

TEST_CASE("a request can be abandoned while others are being failed, and others submitted") {
  ScriptedPeer peer([](PeerConnection& connection) {
    if (connection.number() == 0) {
      for (int i = 0; i < 4; ++i) connection.ReadCommand();
    } else {
      Echo(connection);
    }
  });
  RedisAsker asker(OptionsOf(peer));
  auto first = asker.Submit("a");
  auto second = asker.Submit("b");
  auto third = asker.Submit("c");
  auto fourth = asker.Submit("d");
  std::unique_ptr<AskedRequest> fifth;
  first->then = [&] {
    second->Abandon();
    third.reset();
    fifth = asker.Submit("e");
  };
  REQUIRE(asker.RunUntil([&] { return fourth->told && fifth->told; }));
  CHECK(first->text.starts_with("redis_unavailable: "));
  CHECK_FALSE(second->told);
  CHECK(fourth->text.starts_with("redis_unavailable: "));
  CHECK(fifth->text.starts_with("redis_unavailable: "));  // it never proved itself: backoff
  std::string answer;
  for (int i = 0; i < 100 && answer != EchoOf("f"); ++i) {
    answer = asker.Ask("f");
    asker.RunFor(milliseconds(5));
  }
  CHECK(answer == EchoOf("f"));
}

TEST_CASE("a request can be abandoned while others time out") {
  ScriptedPeer peer([](PeerConnection& connection) { connection.WaitForClose(); });
  RedisOptions options = OptionsOf(peer);
  options.request_timeout = milliseconds(30);
  RedisAsker asker(std::move(options));
  const auto first = asker.Submit("a");
  const auto second = asker.Submit("b");
  const auto third = asker.Submit("c");
  first->then = [&] { second->Abandon(); };
  REQUIRE(asker.RunUntil([&] { return third->told; }));
  CHECK(first->text.starts_with("redis_timeout: "));
  CHECK_FALSE(second->told);
}

TEST_CASE("a coroutine waits for its call, and a stop ends it at once") {
  ScriptedPeer peer([](PeerConnection& connection) {
    connection.ReadCommand();
    connection.ReadCommand();
    connection.Send("*0\r\n*1\r\n:2\r\n");
    Echo(connection);
  });
  RedisAsker asker(OptionsOf(peer));
  const auto ask = [](KvClient* client, StopSource* stop) -> Co<std::string> {
    CommandBatch commands;
    commands.HGetAll("k");
    KvCall call(*client, commands, *stop);
    const Result<Replies> replies = co_await call;
    if (!replies) co_return std::string(CodeName(replies.error().code));
    co_return ReplyText(*replies);
  };
  StopSource stopped;
  StopSource unstopped;
  Started<std::string> first(ask(asker.client.get(), &stopped));
  asker.RunFor(milliseconds(10));
  CHECK_FALSE(first.done());
  stopped.Stop();
  CHECK(first.result() == "cancelled");
  Started<std::string> second(ask(asker.client.get(), &unstopped));
  REQUIRE(asker.RunUntil([&] { return second.done(); }));
  CHECK(second.result() == "[2]");
}

TEST_CASE("a client can be destroyed in every state") {
  ScriptedPeer peer([](PeerConnection& connection) { connection.WaitForClose(); });
  const auto destroy_after = [](RedisOptions options, int ms, const char* key) {
    RedisAsker asker(std::move(options));
    {
      const auto request = asker.Submit(key);
      if (ms > 0) asker.RunFor(milliseconds(ms));
    }
    asker.client.reset();
    asker.RunFor(milliseconds(2));
  };
  const std::string large(8 << 20, 'x');
  RedisAsker never_used(OptionsOf(peer));
  destroy_after(OptionsOf(peer), 0, "connecting");
  destroy_after(OptionsOf(peer), 20, "sent");
  destroy_after(OptionsOf(peer), 20, large.c_str());  // a write is under way
  RedisOptions options = OptionsOf(peer);
  options.password = "handshake";
  destroy_after(options, 20, "handshake");
  options.host = "localhost";
  destroy_after(options, 0, "lookup");
  options.host = "127.0.0.1";
  options.port = FreePort();
  destroy_after(options, 20, "backoff");
}

std::size_t OpenFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_CASE("no descriptor is left behind by connections that come and go") {
  ScriptedPeer peer([](PeerConnection& connection) { connection.ReadCommand(); });
  RedisAsker asker(OptionsOf(peer));
  asker.Ask("k");
  asker.RunFor(milliseconds(50));
  const std::size_t before = OpenFiles();
  for (int i = 0; i < 100; ++i) {
    asker.Ask("k");
    asker.RunFor(milliseconds(3));
  }
  CHECK(OpenFiles() <= before + 2);
}

}  // namespace
}  // namespace rankd
