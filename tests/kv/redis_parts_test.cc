// The pure parts of the Redis client.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/kv/redis/backoff.h"
#include "engine/kv/redis/handshake.h"
#include "engine/kv/redis/pipeline_queue.h"
#include "engine/kv/redis/reply_reader.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

class HashRequest final : public KvRequest {
 public:
  HashRequest() : KvRequest(commands_) { commands_.HGetAll("k"); }
  void OnReplies(Result<Replies>) override {}

 private:
  CommandBatch commands_;
};

TimePoint At(int ms) { return TimePoint(milliseconds(ms)); }

TEST_CASE("waits double from 10 ms to 1 s, each shortened by up to half") {
  for (std::uint32_t seed = 1; seed < 200; ++seed) {
    Backoff backoff(seed);
    milliseconds full{10};
    for (int i = 0; i < 12; ++i) {
      const Duration wait = backoff.Next();
      CHECK(wait >= full / 2);
      CHECK(wait <= full);
      full = std::min(full * 2, milliseconds(1000));
    }
    backoff.Reset();
    CHECK(backoff.Next() <= milliseconds(10));
  }
}

TEST_CASE("two clients do not wait in step") {
  Backoff first(1);
  Backoff second(2);
  int same = 0;
  for (int i = 0; i < 20; ++i) same += first.Next() == second.Next() ? 1 : 0;
  CHECK(same < 3);
}

SentPipeline& Sent(PipelineQueue& queue, KvRequest& request, TimePoint at) {
  queue.Reserve();
  return queue.Push(request, 20, at);
}

TEST_CASE("pipelines are answered first in first out, and the oldest that waits is known") {
  PipelineQueue queue;
  std::vector<HashRequest> requests(4);
  CHECK(queue.front() == nullptr);
  CHECK(queue.FirstWaiting() == nullptr);
  SentPipeline& first = Sent(queue, requests[0], At(1));
  SentPipeline& second = Sent(queue, requests[1], At(2));
  SentPipeline& third = Sent(queue, requests[2], At(3));
  CHECK(first.unanswered == 1);
  CHECK(queue.FirstWaiting() == &first);
  queue.Forget(second);
  CHECK(queue.FirstWaiting() == &first);
  queue.Forget(first);
  CHECK(queue.front() == &first);
  CHECK(queue.FirstWaiting() == &third);
  queue.PopFront();
  CHECK(queue.front() == &second);
  CHECK(queue.FirstWaiting() == &third);
  queue.Forget(third);
  CHECK(queue.FirstWaiting() == nullptr);
  SentPipeline& fourth = Sent(queue, requests[3], At(4));
  CHECK(queue.FirstWaiting() == &fourth);
  queue.PopFront();
  queue.PopFront();
  CHECK(queue.front() == &fourth);
  CHECK(queue.FirstWaiting() == &fourth);
  queue.PopFront();
  CHECK(queue.front() == nullptr);
  CHECK(queue.FirstWaiting() == nullptr);
  CHECK(Sent(queue, requests[0], At(5)).replies.size() == 0);
  queue.PopFront();
}

TEST_CASE("what forgotten pipelines hold is known until their replies have come") {
  PipelineQueue queue;
  std::vector<HashRequest> requests(3000);
  for (HashRequest& request : requests) Sent(queue, request, At(1));
  CHECK(queue.forgotten_bytes() == 0);
  SentPipeline& first = *queue.front();
  queue.Forget(first);
  const std::size_t one = queue.forgotten_bytes();
  CHECK(one == 20 + sizeof(SentPipeline));
  queue.Forget(first);
  CHECK(queue.forgotten_bytes() == one);
  queue.PopFront();
  CHECK(queue.forgotten_bytes() == 0);
  while (queue.front() != nullptr) queue.PopFront();
  CHECK(queue.forgotten_bytes() == 0);
  CHECK(Sent(queue, requests[0], At(2)).next == nullptr);
  queue.PopFront();
}

RedisOptions Options(std::string username, std::string password, int db) {
  RedisOptions options;
  options.username = std::move(username);
  options.password = std::move(password);
  options.db = db;
  return options;
}

TEST_CASE("the handshake says what is needed and nothing else") {
  Handshake handshake;
  std::string out;
  CHECK_FALSE(handshake.Begin(Options("", "", 0), out));
  CHECK(out == "");
  CHECK(handshake.Begin(Options("", "p w\r\n", 0), out));
  CHECK(out == "*2\r\n$4\r\nAUTH\r\n$5\r\np w\r\n\r\n");
  out.clear();
  CHECK(handshake.Begin(Options("me", "pw", 3), out));
  CHECK(out == "*3\r\n$4\r\nAUTH\r\n$2\r\nme\r\n$2\r\npw\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");
  out.clear();
  CHECK(handshake.Begin(Options("me", "", 0), out));
  CHECK(out == "*3\r\n$4\r\nAUTH\r\n$2\r\nme\r\n$0\r\n\r\n");
}

/// The handshake's error after these replies; each must be taken but only the last ends it.
std::string ErrorAfter(const RedisOptions& options, const std::vector<std::string>& replies) {
  Handshake handshake;
  std::string out;
  REQUIRE(handshake.Begin(options, out));
  ReplyReader reader;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    reader.Feed(replies[i]);
    REQUIRE(reader.Next(&handshake.replies()) == ReplyReader::Progress::kReply);
    CHECK(handshake.Took() == (i + 1 == replies.size()));
  }
  return handshake.error();
}

TEST_CASE("the first error of the handshake is told, in the server's words") {
  CHECK(ErrorAfter(Options("", "x", 2), {"+OK\r\n", "+OK\r\n"}) == "");
  CHECK(ErrorAfter(Options("", "x", 2), {"-WRONGPASS bad\r\n", "-NOAUTH no\r\n"}) ==
        "AUTH: WRONGPASS bad");
  CHECK(ErrorAfter(Options("", "x", 2), {"+OK\r\n", "-ERR DB index is out of range\r\n"}) ==
        "SELECT: ERR DB index is out of range");
  CHECK(ErrorAfter(Options("", "", 2), {"-NOAUTH Authentication required.\r\n"}) ==
        "SELECT: NOAUTH Authentication required.");
}

}  // namespace
}  // namespace rankd
