#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/coro/co.h"
#include "engine/kv/kv.h"
#include "tests/support/fake_kv.h"
#include "tests/support/fake_loop.h"
#include "tests/support/reply_text.h"
#include "tests/support/started.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

constexpr const char* kData = R"({"user:1":{"country":"US"},"follow:1":[2,3]})";

/// What the call gave, as text: replies, or "code: message".
Co<std::string> Ask(KvClient* client, StopSource* stop, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    CommandBatch commands;
    commands.HGetAll("user:1");
    commands.LRange("follow:1", 0, -1);
    KvCall call(*client, commands, *stop);
    const Result<Replies> replies = co_await call;
    if (!all.empty()) all += " | ";
    if (replies) {
      all += ReplyText(*replies);
    } else {
      all += std::string(CodeName(replies.error().code)) + ": " + replies.error().message;
    }
  }
  co_return all;
}

constexpr const char* kAnswer = R"(["country","US"] ["2","3"])";

TEST_CASE("a call that is answered at once does not suspend") {
  FakeLoop loop;
  FakeKv kv(loop, "redis_default", kData);
  StopSource stop;
  Started<std::string> run(Ask(&kv, &stop, 1));
  CHECK(run.result() == kAnswer);
}

TEST_CASE("a hundred thousand calls that are answered at once use no stack") {
  FakeLoop loop;
  FakeKv kv(loop, "redis_default", kData);
  StopSource stop;
  const auto count = [](KvClient* client, StopSource* source) -> Co<int> {
    int answered = 0;
    CommandBatch commands;
    commands.HGetAll("user:1");
    for (int i = 0; i < 100'000; ++i) {
      KvCall call(*client, commands, *source);
      const Result<Replies> replies = co_await call;
      if (replies) ++answered;
    }
    co_return answered;
  };
  Started<int> run(count(&kv, &stop));
  CHECK(run.result() == 100'000);
}

TEST_CASE("a call that is answered later resumes then, and may be followed by another") {
  FakeLoop loop;
  FakeKv kv(loop, "redis_default", kData);
  kv.NextAfter(milliseconds(10));
  kv.NextFails(ErrorCode::kRedisTimeout, "too late", milliseconds(5));
  StopSource stop;
  Started<std::string> run(Ask(&kv, &stop, 3));
  loop.Advance(milliseconds(9));
  CHECK(kv.log().size() == 1);
  loop.Advance(milliseconds(1));
  CHECK(kv.log().size() == 2);
  REQUIRE_FALSE(run.done());
  loop.Advance(milliseconds(5));
  CHECK(run.result() == std::string(kAnswer) + " | redis_timeout: too late | " + kAnswer);
  CHECK(kv.log()[0] == "HGETALL user:1; LRANGE follow:1 0 -1");
}

TEST_CASE("a stop ends the call at once and gives the request up") {
  FakeLoop loop;
  FakeKv kv(loop, "redis_default", kData);
  kv.NextAfter(milliseconds(10));
  StopSource stop;
  Started<std::string> run(Ask(&kv, &stop, 1));
  CHECK(kv.pending() == 1);
  stop.Stop();
  CHECK(run.result() == "cancelled: cancelled");
  CHECK(kv.pending() == 0);
  CHECK(kv.abandoned() == 1);
  loop.Advance(milliseconds(20));
}

TEST_CASE("a call with a source that is stopped already sends nothing") {
  FakeLoop loop;
  FakeKv kv(loop, "redis_default", kData);
  StopSource stop;
  stop.Stop();
  Started<std::string> run(Ask(&kv, &stop, 2));
  CHECK(run.result() == "cancelled: cancelled | cancelled: cancelled");
  CHECK(kv.log().empty());
}

TEST_CASE("an answered call has left its stop source") {
  FakeLoop loop;
  FakeKv kv(loop, "redis_default", kData);
  kv.NextAfter(milliseconds(1));
  CommandBatch commands;
  commands.HGetAll("user:1");
  StopSource stop;
  const auto one = [](KvCall* call) -> Co<int> {
    const Result<Replies> replies = co_await *call;
    co_return replies ? 1 : 0;
  };
  KvCall call(kv, commands, stop);
  Started<int> run(one(&call));
  CHECK(call.attached());
  loop.Advance(milliseconds(1));
  CHECK(run.result() == 1);
  CHECK_FALSE(call.attached());
  stop.Stop();
}

TEST_CASE("a coroutine that is destroyed while it waits gives its request up") {
  FakeLoop loop;
  FakeKv kv(loop, "redis_default", kData);
  kv.NextIsDropped();
  StopSource stop;
  {
    Started<std::string> run(Ask(&kv, &stop, 1));
    CHECK(kv.pending() == 1);
  }
  CHECK(kv.pending() == 0);
  CHECK(kv.abandoned() == 1);
}

/// Stops a source from within Submit, before or instead of answering.
class StopsInSubmit final : public KvClient {
 public:
  StopsInSubmit(StopSource& stop, bool answers) : stop_(&stop), answers_(answers) {}
  void Submit(KvRequest& request) override {
    stop_->Stop();
    if (answers_) request.OnReplies(Replies());
  }
  void Abandon(KvRequest&) override { ++abandoned; }
  const std::string& name() const override { return name_; }
  int abandoned = 0;

 private:
  StopSource* stop_;
  bool answers_;
  std::string name_ = "stops";
};

TEST_CASE("a stop from within Submit abandons the request once Submit has returned") {
  StopSource stop;
  StopsInSubmit client(stop, false);
  Started<std::string> run(Ask(&client, &stop, 1));
  CHECK(run.result() == "cancelled: cancelled");
  CHECK(client.abandoned == 1);
}

TEST_CASE("an answer that comes from within Submit, after a stop, is taken") {
  StopSource stop;
  StopsInSubmit client(stop, true);
  Started<std::string> run(Ask(&client, &stop, 1));
  CHECK(run.result() == "");
  CHECK(client.abandoned == 0);
}

}  // namespace
}  // namespace rankd
