// A store that answers with replies made by hand, whatever was asked.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "engine/kv/kv.h"

namespace rankd {

/// One pipeline's replies, in pre-order: `ReplyScript().Root().Array(2).String("1").Nil()`.
class ReplyScript {
 public:
  ReplyScript& Root() {
    replies_.BeginRoot();
    return *this;
  }
  /// Its elements follow; they must not be arrays themselves.
  ReplyScript& Array(std::uint32_t elements) {
    replies_.nodes().push_back(ReplyNode::Array(elements, elements + 1));
    return *this;
  }
  ReplyScript& String(std::string_view text) { return Text(ReplyKind::kString, text); }
  ReplyScript& Error(std::string_view text) { return Text(ReplyKind::kError, text); }
  ReplyScript& Status(std::string_view text) { return Text(ReplyKind::kStatus, text); }
  ReplyScript& Integer(std::int64_t value) {
    Add(ReplyKind::kInteger).integer = value;
    return *this;
  }
  ReplyScript& Nil() {
    Add(ReplyKind::kNil);
    return *this;
  }
  Replies Take() { return std::move(replies_); }

 private:
  ReplyNode& Add(ReplyKind kind) {
    ReplyNode& node = replies_.nodes().emplace_back();
    node.kind = kind;
    return node;
  }
  ReplyScript& Text(ReplyKind kind, std::string_view text) {
    ReplyNode& node = Add(kind);
    node.data = replies_.Store(text);
    node.size = static_cast<std::uint32_t>(text.size());
    return *this;
  }

  Replies replies_;
};

class ScriptedReplies final : public KvClient {
 public:
  void Next(ReplyScript& script) { replies_.push_back(script.Take()); }

  void Submit(KvRequest& request) override {
    Replies replies = std::move(replies_.front());
    replies_.pop_front();
    request.OnReplies(std::move(replies));
  }
  void Abandon(KvRequest&) override {}
  const std::string& name() const override { return name_; }

 private:
  std::string name_ = "kv";
  std::deque<Replies> replies_;
};

}  // namespace rankd
