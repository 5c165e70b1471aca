#include "engine/kv/command.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "engine/base/number_text.h"
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

/// Written in one go: of a command, only two numbers differ from those of the one before.
void AppendByNumber(const CommandBatch::Stretch& stretch, const RespFrame& frame,
                    std::string& out) {
  const KeyPattern& pattern = *stretch.pattern;
  const std::string to_size = frame.before + "$";
  const std::string to_number = "\r\n" + pattern.prefix();
  std::string to_end = pattern.suffix() + "\r\n";
  to_end += frame.behind;
  const std::size_t around = pattern.prefix().size() + pattern.suffix().size();
  const std::size_t most = to_size.size() + to_number.size() + to_end.size() + 2 * kMaxNumberText;
  const auto write = [](char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
  };
  constexpr std::size_t kAtOnce = 64;  // what most is too much does not add up
  std::span<const std::int64_t> left(stretch.numbers, stretch.end - stretch.first);
  while (!left.empty()) {
    const auto numbers = left.first(std::min(kAtOnce, left.size()));
    left = left.subspan(numbers.size());
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + numbers.size() * most, [&](char* data, std::size_t) {
      char* at = data + before;
      for (const std::int64_t number : numbers) {
        at = write(at, to_size);
        at = WriteInt(at, static_cast<std::int64_t>(around + IntTextSize(number)));
        at = write(at, to_number);
        at = WriteInt(at, number);
        at = write(at, to_end);
      }
      return static_cast<std::size_t>(at - data);
    });
  }
}

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
  size_ = 0;
  stretches_.clear();
}

Verb CommandBatch::verb(std::size_t command) const { return StretchOf(command).verb; }

std::string CommandBatch::key(std::size_t command) const {
  const Stretch& stretch = StretchOf(command);
  if (stretch.pattern == nullptr) return std::string(TextKey(stretch, command));
  return stretch.pattern->For(stretch.numbers[command - stretch.first]);
}

const CommandBatch::Stretch& CommandBatch::StretchOf(std::size_t command) const {
  const Stretch* stretch = stretches_.data();
  while (command >= stretch->end) ++stretch;
  return *stretch;
}

std::size_t CommandBatch::RespBytes() const {
  std::size_t bytes = key_bytes_;
  for (const Stretch& stretch : stretches_) {
    const RespFrame frame(stretch);
    bytes += (stretch.end - stretch.first) * (frame.before.size() + frame.behind.size());
    for (std::size_t i = stretch.first; i < stretch.end; ++i) {
      if (stretch.pattern == nullptr) {
        bytes += BulkFrameBytes(TextKey(stretch, i).size());
      } else {
        const std::size_t size = stretch.pattern->SizeFor(stretch.numbers[i - stretch.first]);
        bytes += BulkFrameBytes(size) + size;
      }
    }
  }
  return bytes;
}

void CommandBatch::AppendResp(std::string& out) const {
  for (const Stretch& stretch : stretches_) {
    const RespFrame frame(stretch);
    if (stretch.pattern != nullptr) {
      AppendByNumber(stretch, frame, out);
      continue;
    }
    for (std::size_t i = stretch.first; i < stretch.end; ++i) {
      out += frame.before;
      AppendBulkString(out, TextKey(stretch, i));
      out += frame.behind;
    }
  }
}

void CommandBatch::HMGetEach(std::span<const std::int64_t> numbers, const KeyPattern& pattern,
                             const HashFieldNames& fields) {
  if (numbers.empty()) return;
  Stretch stretch{Verb::kHMGet, &fields, {}};
  stretch.first = size_;
  stretch.end = size_ + numbers.size();
  stretch.pattern = &pattern;
  stretch.numbers = numbers.data();
  stretches_.push_back(stretch);
  size_ = stretch.end;
}

void CommandBatch::Add(Stretch command, std::string_view key) {
  if (key_capacity_ - key_bytes_ < key.size()) MakeRoom(key.size());
  std::ranges::copy(key, keys_.get() + key_bytes_);
  key_bytes_ += key.size();
  key_ends_.push_back(key_bytes_);
  command.first = size_;
  command.end = size_ + 1;
  command.first_text = key_ends_.size() - 1;
  AddStretch(command);
  size_ = command.end;
}

void CommandBatch::AddStretch(const Stretch& stretch) {
  if (!stretches_.empty()) {
    Stretch& last = stretches_.back();
    if (last.pattern == nullptr && last.verb == stretch.verb && last.fields == stretch.fields &&
        last.range == stretch.range) {
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
