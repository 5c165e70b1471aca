#include "engine/kv/memory/memory_client.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/fake_loop.h"
#include "tests/support/reply_text.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

struct Fixture {
  explicit Fixture(std::size_t max_inflight = 64, int hgetall = 0, int hmget = 0, int lrange = 0,
                   int request_timeout = 0) {
    std::vector<Error> problems;
    store = MemoryStore::FromJson(R"({"user:1":{"country":"US"},"follow:1":[2,3]})", problems);
    REQUIRE(problems.empty());
    MemoryOptions options;
    options.name = "mem";
    options.max_inflight = max_inflight;
    options.request_timeout = milliseconds(request_timeout);
    options.latency = {milliseconds(hgetall), milliseconds(hmget), milliseconds(lrange)};
    client = std::make_unique<MemoryClient>(loop, store, std::move(options));
  }
  FakeLoop loop;
  std::shared_ptr<const MemoryStore> store;
  std::unique_ptr<MemoryClient> client;
};

class Asked final : public KvRequest {
 public:
  explicit Asked(const CommandBatch& commands, std::function<void()> then = {})
      : KvRequest(commands), then_(std::move(then)) {}
  void OnReplies(Result<Replies> replies) override {
    ++told;
    text = replies ? ReplyText(*replies)
                   : std::string(CodeName(replies.error().code)) + ": " + replies.error().message;
    if (then_) then_();
  }
  int told = 0;
  std::string text;

 private:
  std::function<void()> then_;
};

CommandBatch Hash() {
  CommandBatch batch;
  batch.HGetAll("user:1");
  return batch;
}

CommandBatch List() {
  CommandBatch batch;
  batch.LRange("follow:1", 0, -1);
  return batch;
}

TEST_CASE("without latency the answer comes from within Submit") {
  Fixture f;
  const CommandBatch batch = Hash();
  Asked asked(batch);
  f.client->Submit(asked);
  CHECK(asked.text == R"(["country","US"])");
  CHECK(f.client->name() == "mem");
  CHECK(f.loop.armed_timers() == 0);
}

TEST_CASE("an empty batch is answered at once, even when no place is free") {
  Fixture f(1, 10);
  const CommandBatch batch = Hash();
  const CommandBatch empty;
  Asked first(batch);
  Asked second(empty);
  f.client->Submit(first);
  f.client->Submit(second);
  CHECK(second.told == 1);
  CHECK(second.text == "");
  f.loop.Advance(milliseconds(10));
}

TEST_CASE("a pipeline takes as long as its slowest command") {
  Fixture f(64, 10, 0, 15);
  CommandBatch batch = Hash();
  batch.LRange("follow:1", 0, -1);
  Asked asked(batch);
  f.client->Submit(asked);
  f.loop.Advance(milliseconds(14));
  CHECK(asked.told == 0);
  f.loop.Advance(milliseconds(1));
  CHECK(asked.told == 1);
  CHECK(asked.text == R"(["country","US"] ["2","3"])");
}

TEST_CASE("a round trip longer than the request timeout is late after that timeout") {
  Fixture f(1, 50, 0, 10, 20);
  const CommandBatch slow = Hash();
  CommandBatch quick;
  quick.LRange("follow:1", 0, -1);
  Asked first(slow);
  Asked second(quick);
  f.client->Submit(first);
  f.client->Submit(second);  // waits for the first one's place
  f.loop.Advance(milliseconds(19));
  CHECK(first.told == 0);
  f.loop.Advance(milliseconds(1));
  CHECK(first.told == 1);
  CHECK(first.text == "redis_timeout: endpoint mem: no reply within 20 ms");
  f.loop.Advance(milliseconds(10));
  CHECK(second.text == R"(["2","3"])");
}

TEST_CASE("requests beyond the limit wait their turn") {
  Fixture f(2, 10);
  const CommandBatch batch = Hash();
  std::vector<std::unique_ptr<Asked>> asked;
  for (int i = 0; i < 5; ++i) {
    asked.push_back(std::make_unique<Asked>(batch));
    f.client->Submit(*asked.back());
  }
  const auto told = [&] {
    std::string text;
    for (const auto& one : asked) text += static_cast<char>('0' + one->told);
    return text;
  };
  CHECK(f.client->in_flight() == 2);
  f.loop.Advance(milliseconds(10));
  CHECK(told() == "11000");
  f.loop.Advance(milliseconds(10));
  CHECK(told() == "11110");
  f.loop.Advance(milliseconds(10));
  CHECK(told() == "11111");
  CHECK(f.client->in_flight() == 0);
}

TEST_CASE("a request that takes no time waits behind others, then frees its place at once") {
  Fixture f(1, 10, 0, 0);
  const CommandBatch slow = Hash();
  const CommandBatch fast = List();
  Asked first(slow);
  Asked second(fast);
  Asked third(fast);
  f.client->Submit(first);
  f.client->Submit(second);
  f.client->Submit(third);
  CHECK(second.told == 0);
  f.loop.Advance(milliseconds(10));
  CHECK(first.told == 1);
  CHECK(second.told == 1);
  CHECK(third.told == 1);
}

TEST_CASE("an abandoned request is not told, in flight or waiting, and frees its place") {
  Fixture f(1, 10, 0, 0);
  const CommandBatch slow = Hash();
  const CommandBatch fast = List();
  Asked first(slow);
  Asked second(slow);
  Asked third(fast);
  f.client->Submit(first);
  f.client->Submit(second);
  f.client->Submit(third);
  f.client->Abandon(second);
  f.client->Abandon(first);
  CHECK(f.client->in_flight() == 0);
  CHECK(third.told == 0);  // not from within Abandon
  f.loop.Turn();
  CHECK(third.told == 1);
  f.loop.Advance(milliseconds(100));
  CHECK(first.told == 0);
  CHECK(second.told == 0);
}

TEST_CASE("a request may be submitted from within an answer") {
  Fixture f(1, 10);
  const CommandBatch batch = Hash();
  Asked second(batch);
  Asked first(batch, [&] { f.client->Submit(second); });
  f.client->Submit(first);
  f.loop.Advance(milliseconds(10));
  CHECK(first.told == 1);
  f.loop.Advance(milliseconds(9));
  CHECK(second.told == 0);
  f.loop.Advance(milliseconds(1));
  CHECK(second.told == 1);
}

TEST_CASE("a hundred thousand requests, each submitted from within an answer, use no stack") {
  Fixture f;
  const CommandBatch batch = Hash();
  constexpr int kRequests = 100'000;
  std::vector<std::unique_ptr<Asked>> asked;
  int next = 0;
  asked.reserve(kRequests);
  for (int i = 0; i < kRequests; ++i) {
    asked.push_back(std::make_unique<Asked>(batch, [&] {
      if (++next < kRequests) f.client->Submit(*asked[static_cast<std::size_t>(next)]);
    }));
  }
  f.client->Submit(*asked[0]);
  CHECK(next == kRequests);
}

TEST_CASE("latencies beyond what a timer reaches are cut, not overflowed") {
  Fixture f(64, 2'000'000'000);
  MemoryOptions options;
  options.latency.fill(std::chrono::milliseconds::max());
  MemoryClient client(f.loop, f.store, std::move(options));
  const CommandBatch batch = Hash();
  Asked asked(batch);
  client.Submit(asked);
  CHECK(f.loop.next_due() > f.loop.Now());
  client.Abandon(asked);
}

}  // namespace
}  // namespace rankd
