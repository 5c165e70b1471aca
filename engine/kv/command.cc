#include "engine/kv/command.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/kv/resp.h"

namespace rankd {
namespace {

/// What stands in RESP before the key of each command of a stretch, and behind it.
struct RespFrame {
  explicit RespFrame(const CommandBatch::Stretch& stretch) {
    std::size_t arguments = 2;
    if (stretch.fields != nullptr) {
      arguments += stretch.fields->size();
      behind = stretch.fields->resp();
    } else if (stretch.verb == Verb::kLRange) {
      arguments += 2;
      for (const std::int64_t end : {stretch.range.start, stretch.range.stop}) {
        char digits[24];
        const char* last = std::to_chars(digits, digits + sizeof(digits), end).ptr;
        AppendBulkString(range, std::string_view(digits, last));
      }
      behind = range;
    }
    AppendCommandHead(before, arguments);
    AppendBulkString(before, VerbName(stretch.verb));
  }
  RespFrame(const RespFrame&) = delete;
  RespFrame& operator=(const RespFrame&) = delete;

  std::string before;
  std::string_view behind;
  std::string range;
};

}  // namespace

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kHGetAll:
      return "HGETALL";
    case Verb::kHMGet:
      return "HMGET";
    case Verb::kLRange:
      return "LRANGE";
  }
  return "";
}

HashFieldNames::HashFieldNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (const std::string& name : names_) AppendBulkString(resp_, name);
}

void CommandBatch::Clear() {
  key_bytes_ = 0;
  key_ends_.clear();
  stretches_.clear();
}

Verb CommandBatch::verb(std::size_t command) const {
  const Stretch* stretch = stretches_.data();
  while (command >= stretch->end) ++stretch;
  return stretch->verb;
}

std::size_t CommandBatch::RespBytes() const {
  std::size_t bytes = key_bytes_;
  for (const Stretch& stretch : stretches_) {
    const RespFrame frame(stretch);
    bytes += (stretch.end - stretch.first) * (frame.before.size() + frame.behind.size());
    for (std::size_t i = stretch.first; i < stretch.end; ++i) {
      bytes += BulkFrameBytes(key(i).size());
    }
  }
  return bytes;
}

void CommandBatch::AppendResp(std::string& out) const {
  for (const Stretch& stretch : stretches_) {
    const RespFrame frame(stretch);
    for (std::size_t i = stretch.first; i < stretch.end; ++i) {
      out += frame.before;
      AppendBulkString(out, key(i));
      out += frame.behind;
    }
  }
}

void CommandBatch::Add(const Stretch& command, std::string_view key) {
  if (key_capacity_ - key_bytes_ < key.size()) MakeRoom(key.size());
  std::ranges::copy(key, keys_.get() + key_bytes_);
  key_bytes_ += key.size();
  key_ends_.push_back(key_bytes_);
  Stretch stretch = command;
  stretch.first = size() - 1;
  stretch.end = size();
  AddStretch(stretch);
}

void CommandBatch::AddStretch(const Stretch& stretch) {
  if (!stretches_.empty()) {
    Stretch& last = stretches_.back();
    if (last.verb == stretch.verb && last.fields == stretch.fields && last.range == stretch.range) {
      last.end = stretch.end;
      return;
    }
  }
  stretches_.push_back(stretch);
}

void CommandBatch::MakeRoom(std::size_t bytes) {
  constexpr std::size_t kFirstCapacity = 256;
  const std::size_t capacity = std::max({kFirstCapacity, 2 * key_capacity_, key_bytes_ + bytes});
  auto keys = std::make_unique_for_overwrite<char[]>(capacity);
  std::copy_n(keys_.get(), key_bytes_, keys.get());
  keys_ = std::move(keys);
  key_capacity_ = capacity;
}

}  // namespace rankd
