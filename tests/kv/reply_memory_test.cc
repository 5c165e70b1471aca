// Replies for which there is no memory. Replaces this program's operator new.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/json.h"
#include "engine/kv/memory/memory_client.h"
#include "engine/kv/redis/pipeline_queue.h"
#include "engine/kv/redis/reply_reader.h"
#include "engine/wire/request.h"
#include "tests/support/fake_loop.h"
#include "tests/support/redis_asker.h"
#include "tests/support/reply_text.h"
#include "tests/support/scripted_peer.h"

namespace {

/// Allocations of at least so many bytes fail.
std::atomic<std::size_t> too_large{static_cast<std::size_t>(-1)};
/// So many more succeed.
std::atomic<std::size_t> left{static_cast<std::size_t>(-1)};

struct NoMemoryFor {
  explicit NoMemoryFor(std::size_t bytes) { too_large = bytes; }
  ~NoMemoryFor() { too_large = static_cast<std::size_t>(-1); }
};

/// All allocations fail after so many.
struct NoMemoryAfter {
  explicit NoMemoryAfter(std::size_t allocations) { left = allocations; }
  ~NoMemoryAfter() { left = static_cast<std::size_t>(-1); }
};

void* Allocated(std::size_t size) {
  if (size >= too_large || left == 0) return nullptr;
  --left;
  return std::malloc(size);
}

}  // namespace

void* operator new(std::size_t size) {
  void* memory = Allocated(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// AddressSanitizer's own forms of these would not come by the above.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocated(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace rankd {
namespace {

using Progress = ReplyReader::Progress;

TEST_CASE("a string for which there is no memory is dropped, and the next reply is whole") {
  ReplyReader reader;
  Replies starved;
  reader.Feed("$1000000\r\n" + std::string(1'000'000, 'x') + "\r\n:1\r\n");
  {
    const NoMemoryFor large(1'000'000);
    CHECK(reader.Next(&starved) == Progress::kReply);
  }
  CHECK(reader.starved());
  Replies next;
  CHECK(reader.Next(&next) == Progress::kReply);
  CHECK_FALSE(reader.starved());
  CHECK(ReplyText(next) == "1");
}

TEST_CASE("an array that is starved half-way stays so until its end, whatever the target") {
  ReplyReader reader;
  Replies replies;
  reader.Feed("*3\r\n:1\r\n$300000\r\n" + std::string(300'000, 'x') + "\r\n");
  {
    const NoMemoryFor large(300'000);
    CHECK(reader.Next(&replies) == Progress::kMore);
  }
  CHECK(reader.starved());
  reader.Feed(":3\r\n*1\r\n:4\r\n");
  CHECK(reader.Next(&replies) == Progress::kReply);
  CHECK(reader.starved());
  Replies next;
  CHECK(reader.Next(&next) == Progress::kReply);
  CHECK(ReplyText(next) == "[4]");
}

TEST_CASE("the nodes of an array may be what there is no memory for") {
  ReplyReader reader;
  Replies replies;
  std::string array = "*100000\r\n";
  for (int i = 0; i < 100'000; ++i) array += ":7\r\n";
  reader.Feed(array + "+OK\r\n");
  {
    const NoMemoryFor large(1'000'000);
    CHECK(reader.Next(&replies) == Progress::kReply);
  }
  CHECK(reader.starved());
  Replies next;
  CHECK(reader.Next(&next) == Progress::kReply);
  CHECK(ReplyText(next) == "+OK");
}

/// What becomes of `read` when memory ends after 0, 1, … allocations, until it has enough: "", the
/// code of an error, or "bad_alloc", each once.
template <typename Read>
std::vector<std::string> WhereMemoryEnds(Read&& read) {
  std::string first_time;  // simdjson looks at the processor then, and ends where it has no memory
  read(first_time);
  std::vector<std::string> outcomes;
  for (std::size_t allocations = 0; outcomes.empty() || !outcomes.back().empty(); ++allocations) {
    REQUIRE(allocations < 1000);
    std::string outcome;
    outcome.reserve(100);
    {
      const NoMemoryAfter soon(allocations);
      try {
        read(outcome);
      } catch (const std::bad_alloc&) {
        outcome = "bad_alloc";
      }
    }
    if (outcomes.empty() || outcomes.back() != outcome) outcomes.push_back(outcome);
  }
  return outcomes;
}

TEST_CASE("what there is no memory to read is not called wrong") {
  const std::string text =
      R"({"user:1":{"name":"a text of more than a few bytes","age":7},"l":[1,2]})";
  const auto only = [](const std::vector<std::string>& outcomes, std::string_view code) {
    for (const std::string& outcome : outcomes) {
      CAPTURE(outcome);
      const bool known = outcome.empty() || outcome == code || outcome == "bad_alloc";
      CHECK(known);
    }
  };
  only(WhereMemoryEnds([&](std::string& outcome) {
         const Result<JsonDocument> document = ParseJson(text);
         if (!document) outcome = CodeName(document.error().code);
       }),
       "limit_exceeded");
  only(WhereMemoryEnds([&](std::string& outcome) {
         std::vector<Error> problems;
         if (MemoryStore::FromJson(text, problems) == nullptr) outcome = problems.at(0).message;
       }),
       "not enough memory to read the file");
  only(WhereMemoryEnds([&](std::string& outcome) {
         RequestParser parser({}, [](std::string_view) {
           return Result<PlanForRequest>(Fail(ErrorCode::kUnknownPlan, "none"));
         });
         Request request;
         const Result<void> parsed =
             parser.Parse(R"({"plan":"a name of more than a few bytes"})", 1, request);
         const ErrorCode code = parsed.error().code;
         if (code != ErrorCode::kUnknownPlan) outcome = CodeName(code);
       }),
       "limit_exceeded");
}

class Asked final : public KvRequest {
 public:
  using KvRequest::KvRequest;
  void OnReplies(Result<Replies> replies) override {
    text = replies ? ReplyText(*replies)
                   : std::string(CodeName(replies.error().code)) + ": " + replies.error().message;
  }
  std::string text;
};

TEST_CASE("a pipeline gets its place before it is sent, or none") {
  PipelineQueue queue;
  CommandBatch commands;
  commands.HGetAll("user:1");
  std::vector<std::unique_ptr<Asked>> requests;
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    requests.push_back(std::make_unique<Asked>(commands));
    if (i % 3 == 0) {
      // The place itself, and where it is noted.
      for (const std::size_t bytes : {sizeof(SentPipeline), std::size_t{1}}) {
        const NoMemoryFor places(bytes);
        try {
          queue.Reserve();
        } catch (const std::bad_alloc&) {
          ++refused;
        }
      }
    }
    queue.Reserve();
    const NoMemoryFor anything(1);
    queue.Push(*requests.back(), 1, TimePoint());
  }
  CHECK(refused == 2 * 334);
  for (const auto& request : requests) {
    const NoMemoryFor anything(1);
    REQUIRE(queue.front()->request == request.get());
    queue.PopFront();
  }
  CHECK(queue.front() == nullptr);
}

TEST_CASE("a pipeline without memory for its commands fails when nothing else is under way") {
  ScriptedPeer peer([](PeerConnection& connection) {
    while (!connection.ReadCommand().empty()) connection.Send("*0\r\n");
  });
  RedisOptions options;
  options.name = "peer";
  options.port = peer.port();
  options.max_inflight = 1;
  RedisAsker asker(std::move(options));
  CHECK(asker.Ask("connected") == "[]");
  constexpr std::size_t kLarge = 1'000'000;
  const auto first = asker.Submit(HGetAllBatch("first"));
  const auto large = asker.Submit(HGetAllBatch(std::string(kLarge, 'k')));
  const auto last = asker.Submit(HGetAllBatch("last"));
  // As a run does whose node fails: what else it has asked for is not wanted any more.
  large->then = [&] {
    first->Abandon();
    last->Abandon();
  };
  {
    const NoMemoryFor commands(kLarge);
    REQUIRE(asker.RunUntil([&] { return large->told; }));
  }
  CHECK(large->text.starts_with("limit_exceeded: "));
  CHECK(large->text.ends_with("out of memory for commands"));
  CHECK(first->text == "[]");
  CHECK_FALSE(last->told);
  CHECK(asker.client->in_flight() == 0);
  CHECK(asker.Ask("again") == "[]");
  // One that is not wanted any more is not failed either.
  CommandBatch batch = HGetAllBatch(std::string(kLarge, 'k'));
  const NoMemoryFor commands(kLarge);
  const auto unwanted = asker.Submit(std::move(batch));
  CHECK_FALSE(unwanted->told);
  unwanted->Abandon();
  CHECK(asker.Ask("again") == "[]");
  CHECK_FALSE(unwanted->told);
}

TEST_CASE("a memory store without memory for an answer fails that request, and none after it") {
  constexpr std::size_t kHashes = 10'000;
  std::vector<Error> problems;
  const auto store = MemoryStore::FromJson(R"({"l":[5,6,7]})", problems);
  REQUIRE(store != nullptr);
  const HashFieldNames fields({"age"});
  for (const int latency : {0, 1}) {
    FakeLoop loop;
    MemoryOptions options;
    options.name = "mem";
    options.max_inflight = 1;
    options.latency.fill(std::chrono::milliseconds(latency));
    MemoryClient client(loop, store, options);
    CommandBatch hashes;
    for (std::size_t i = 0; i < kHashes; ++i) hashes.HMGet("none", fields);
    CommandBatch list;
    list.LRange("l", 2, 2);
    for (int round = 0; round < 3; ++round) {
      Asked large(hashes);
      Asked small(list);
      {
        const NoMemoryFor nodes(kHashes * sizeof(ReplyNode));
        client.Submit(large);
        client.Submit(small);
        loop.Advance(std::chrono::milliseconds(10));
      }
      CHECK(large.text == "limit_exceeded: endpoint mem: out of memory for a reply");
      CHECK(small.text == "[\"7\"]");
    }
    CHECK(client.in_flight() == 0);
  }
}

}  // namespace
}  // namespace rankd
