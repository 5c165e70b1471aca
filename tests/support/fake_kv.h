// A scripted store: data from JSON, and for each request in turn a delay, an error, or silence.
#pragma once

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/json.h"
#include "engine/io/loop.h"
#include "engine/kv/kv.h"
#include "engine/kv/memory/memory_store.h"

namespace rankd {

/// Answers at once from its data, unless the script says otherwise.
class FakeKv final : public KvClient {
 public:
  /// `data` as in a memory endpoint's file: `{"user:1":{"country":"US"},"follow:1":[2,3]}`.
  FakeKv(Loop& loop, std::string name, std::string_view data = "{}")
      : loop_(&loop), name_(std::move(name)) {
    std::vector<Error> problems;
    store_ = MemoryStore::FromJson(std::string(data), problems);
    RANKD_CHECK(problems.empty());
  }

  // The script: one entry for each Submit to come, in order.
  void NextAfter(Duration delay) { script_.push_back(Step(delay, std::nullopt, false)); }
  void NextFails(ErrorCode code, std::string message, Duration delay = Duration(0)) {
    script_.push_back(Step(delay, Error(code, std::move(message)), false));
  }
  /// Is never answered.
  void NextIsDropped() { script_.push_back(Step(Duration(0), std::nullopt, true)); }
  /// For requests without an entry in the script.
  void AnswerAfter(Duration delay) { delay_ = delay; }

  void Submit(KvRequest& request) override {
    Log(request.commands());
    Step step(delay_, std::nullopt, false);
    if (!script_.empty()) {
      step = std::move(script_.front());
      script_.pop_front();
    }
    if (step.delay == Duration(0) && !step.dropped) {
      Answer(request, std::move(step.error));
      return;
    }
    Pending& pending = pending_.emplace_back(*this, request, std::move(step.error));
    pending.self = std::prev(pending_.end());
    request.client_state = &pending;
    if (!step.dropped) loop_->Arm(pending, loop_->Now() + step.delay);
  }

  void Abandon(KvRequest& request) override {
    ++abandoned_;
    pending_.erase(static_cast<Pending*>(request.client_state)->self);
  }

  const std::string& name() const override { return name_; }

  /// Every pipeline so far, its commands as text: "HGETALL user:1; LRANGE follow:1 0 -1".
  const std::vector<std::string>& log() const { return log_; }
  std::size_t pending() const { return pending_.size(); }
  std::size_t abandoned() const { return abandoned_; }

 private:
  struct Step {
    Step(Duration after, std::optional<Error> failure, bool drop)
        : delay(after), error(std::move(failure)), dropped(drop) {}
    Duration delay;
    std::optional<Error> error;
    bool dropped;
  };
  class Pending final : public Timer {
   public:
    Pending(FakeKv& owner, KvRequest& waiting, std::optional<Error> failure)
        : kv(&owner), request(&waiting), error(std::move(failure)) {}
    void OnTimer() override {
      FakeKv& owner = *kv;
      KvRequest& answered = *request;
      std::optional<Error> failure = std::move(error);
      owner.pending_.erase(self);  // destroys this
      owner.Answer(answered, std::move(failure));
    }
    FakeKv* kv;
    KvRequest* request;
    std::optional<Error> error;
    std::list<Pending>::iterator self;
  };

  void Answer(KvRequest& request, std::optional<Error> error) {
    if (error) {
      request.OnReplies(std::unexpected<Error>(*std::move(error)));
    } else {
      request.OnReplies(AnswerFromStore(store_, request.commands()));
    }
  }
  void Log(const CommandBatch& commands) {
    std::string text;
    for (const CommandBatch::Stretch& stretch : commands.stretches()) {
      for (std::size_t i = stretch.first; i < stretch.end; ++i) {
        if (i > 0) text += "; ";
        text.append(VerbName(stretch.verb)).append(" ").append(commands.key(i));
        if (stretch.fields != nullptr) {
          for (const std::string& field : stretch.fields->names()) text += " " + field;
        } else if (stretch.verb == Verb::kLRange) {
          text += " " + std::to_string(stretch.range.start);
          text += " " + std::to_string(stretch.range.stop);
        }
      }
    }
    log_.push_back(std::move(text));
  }

  Loop* loop_;
  std::string name_;
  std::shared_ptr<const MemoryStore> store_;
  Duration delay_{0};
  std::deque<Step> script_;
  std::list<Pending> pending_;
  std::vector<std::string> log_;
  std::size_t abandoned_ = 0;
};

}  // namespace rankd
