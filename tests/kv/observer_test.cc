#include "engine/kv/observer.h"

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/coro/co.h"
#include "engine/kv/kv.h"
#include "tests/support/fake_kv.h"
#include "tests/support/fake_loop.h"
#include "tests/support/started.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

/// Replies made by hand.
class Made {
 public:
  Made& Root() {
    replies_.BeginRoot();
    return *this;
  }
  Made& Node(ReplyKind kind, std::uint32_t size = 0) {
    ReplyNode node;
    node.kind = kind;
    node.size = size;
    replies_.nodes().push_back(node);
    return *this;
  }
  Made& Array(std::uint32_t size, std::uint32_t span) {
    replies_.nodes().push_back(ReplyNode::Array(size, span));
    return *this;
  }
  Made& Elsewhere(const Replies& elements, std::size_t count) {
    replies_.nodes().push_back(ReplyNode::ArrayOf(std::span(&elements[0], count)));
    return *this;
  }
  Made& Integer(std::int64_t value) {
    Node(ReplyKind::kInteger);
    replies_.nodes().back().integer = value;
    return *this;
  }
  const Replies& replies() const { return replies_; }

 private:
  Replies replies_;
};

TEST_CASE("bytes of replies are those of RESP") {
  CHECK(WireBytes(Made().replies()) == 0);
  CHECK(WireBytes(Made().Root().Node(ReplyKind::kNil).replies()) == 5);          // $-1
  CHECK(WireBytes(Made().Root().Node(ReplyKind::kString, 0).replies()) == 6);    // $0 and ""
  CHECK(WireBytes(Made().Root().Node(ReplyKind::kString, 12).replies()) == 19);  // $12
  CHECK(WireBytes(Made().Root().Node(ReplyKind::kStatus, 2).replies()) == 5);    // +OK
  CHECK(WireBytes(Made().Root().Node(ReplyKind::kError, 3).replies()) == 6);     // -ERR
  CHECK(WireBytes(Made().Root().Array(0, 1).replies()) == 4);                    // *0
  const Made two = std::move(Made().Root().Node(ReplyKind::kString, 12).Node(ReplyKind::kNil));
  CHECK(WireBytes(Made().Root().Elsewhere(two.replies(), 2).replies()) == 4 + 19 + 5);
  const struct {
    std::int64_t value;
    std::uint64_t bytes;
  } kIntegers[] = {{0, 4}, {9, 4}, {10, 5}, {-1, 5}, {INT64_MAX, 22}, {INT64_MIN, 23}};
  for (const auto& row : kIntegers) {
    CAPTURE(row.value);
    CHECK(WireBytes(Made().Root().Integer(row.value).replies()) == row.bytes);
  }
  // *2, $1 x, *1, $2 yy; then :7
  Made nested;
  nested.Root().Array(2, 4).Node(ReplyKind::kString, 1);
  nested.Array(1, 2).Node(ReplyKind::kString, 2);
  nested.Root().Integer(7);
  CHECK(WireBytes(nested.replies()) == 4 + 7 + 4 + 8 + 4);
}

/// Writes down what it is told.
class Recording final : public KvObserver {
 public:
  std::size_t OnSubmit(const KvClient& client, const CommandBatch& commands) override {
    lines.push_back("submit " + std::to_string(count_) + " to " + client.name() + ": " +
                    std::to_string(commands.size()));
    return count_++;
  }
  void OnReplies(std::size_t pipeline, const Result<Replies>& replies) override {
    lines.push_back(
        "replies " + std::to_string(pipeline) + ": " +
        (replies ? std::to_string(replies->size()) : std::string(CodeName(replies.error().code))));
  }
  std::vector<std::string> lines;

 private:
  std::size_t count_ = 0;
};

Co<int> AskTwice(KvClient* client, StopSource* stop, KvObserver* observer) {
  for (int i = 0; i < 2; ++i) {
    CommandBatch commands;
    commands.HGetAll("user:1");
    KvCall call(*client, commands, *stop, observer);
    const Result<Replies> replies = co_await call;
    if (!replies) co_return i;
  }
  co_return 2;
}

TEST_CASE("an observer is told of each pipeline and of its end") {
  FakeLoop loop;
  FakeKv kv(loop, "store", R"({"user:1":{"country":"US"}})");
  kv.NextAfter(milliseconds(5));
  StopSource stop;
  Recording observer;
  Started<int> run(AskTwice(&kv, &stop, &observer));
  CHECK(observer.lines == std::vector<std::string>{"submit 0 to store: 1"});
  loop.Advance(milliseconds(5));
  CHECK(run.result() == 2);
  CHECK(observer.lines == std::vector<std::string>{"submit 0 to store: 1", "replies 0: 1",
                                                   "submit 1 to store: 1", "replies 1: 1"});
}

TEST_CASE("an observer is told that a pipeline was stopped or failed") {
  for (const bool fails : {false, true}) {
    FakeLoop loop;
    FakeKv kv(loop, "store");
    if (fails) {
      kv.NextFails(ErrorCode::kRedisTimeout, "late", milliseconds(5));
    } else {
      kv.NextIsDropped();
    }
    StopSource stop;
    Recording observer;
    Started<int> run(AskTwice(&kv, &stop, &observer));
    loop.Advance(milliseconds(5));
    if (!fails) stop.Stop();
    CHECK(run.result() == 0);
    CHECK(observer.lines ==
          std::vector<std::string>{"submit 0 to store: 1",
                                   fails ? "replies 0: redis_timeout" : "replies 0: cancelled"});
  }
}

}  // namespace
}  // namespace rankd
