// A RedisClient on a real loop, and requests that note what they are told.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <signal.h>

#include "engine/base/check.h"
#include "engine/io/member_calls.h"
#include "engine/io/uv_loop.h"
#include "engine/kv/redis/redis_client.h"
#include "tests/support/reply_text.h"

namespace rankd {

/// A request with its batch. Abandons itself when it is destroyed unanswered.
class AskedRequest final : public KvRequest {
 public:
  explicit AskedRequest(CommandBatch batch) : KvRequest(batch_), batch_(std::move(batch)) {}
  ~AskedRequest() override { Abandon(); }

  void SubmitTo(KvClient& client) {
    client_ = &client;
    waiting_ = true;
    client.Submit(*this);
  }
  void Abandon() {
    if (waiting_) client_->Abandon(*this);
    waiting_ = false;
  }
  void OnReplies(Result<Replies> result) override {
    RANKD_CHECK(waiting_);
    waiting_ = false;
    told = true;
    if (result) {
      replies = *std::move(result);
      text = ReplyText(replies);
    } else {
      text = std::string(CodeName(result.error().code)) + ": " + result.error().message;
    }
    if (then) then();
  }

  bool told = false;
  Replies replies;
  std::string text;  ///< The replies, or "code: message".
  std::function<void()> then;

 private:
  CommandBatch batch_;
  KvClient* client_ = nullptr;
  bool waiting_ = false;
};

inline CommandBatch HGetAllBatch(std::string_view key) {
  CommandBatch batch;
  batch.HGetAll(key);
  return batch;
}

/// Owns loop and client; turns the loop until something has come about.
class RedisAsker {
 public:
  explicit RedisAsker(RedisOptions options) {
    signal(SIGPIPE, SIG_IGN);
    client = std::make_unique<RedisClient>(loop, std::move(options));
  }

  /// False when it has not come about within 30 s.
  bool RunUntil(std::function<bool()> condition) {
    condition_ = std::move(condition);
    give_up_ = loop.Now() + std::chrono::seconds(30);
    LookAgain();
    loop.Run();
    const bool met = condition_();
    condition_ = nullptr;
    return met;
  }
  void RunFor(std::chrono::milliseconds duration) {
    const TimePoint end = loop.Now() + duration;
    RunUntil([&] { return loop.Now() >= end; });
  }
  std::unique_ptr<AskedRequest> Submit(CommandBatch batch) {
    auto request = std::make_unique<AskedRequest>(std::move(batch));
    request->SubmitTo(*client);
    return request;
  }
  std::unique_ptr<AskedRequest> Submit(std::string_view key) { return Submit(HGetAllBatch(key)); }
  /// Submits and waits.
  std::string Ask(CommandBatch batch) {
    const std::unique_ptr<AskedRequest> request = Submit(std::move(batch));
    return RunUntil([&] { return request->told; }) ? request->text : "no answer";
  }
  std::string Ask(std::string_view key) { return Ask(HGetAllBatch(key)); }

  UvLoop loop;
  std::unique_ptr<RedisClient> client;

 private:
  void LookAgain() {
    if (condition_() || loop.Now() >= give_up_) {
      loop.Stop();
    } else {
      loop.Arm(look_again_, loop.Now() + std::chrono::milliseconds(1));
    }
  }
  std::function<bool()> condition_;
  TimePoint give_up_;
  MemberTimer<RedisAsker, &RedisAsker::LookAgain> look_again_{*this};
};

}  // namespace rankd
