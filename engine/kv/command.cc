#include "engine/kv/command.h"

#include <charconv>

namespace rankd {

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

void CommandBatch::HGetAll(std::string_view key) {
  Begin(Verb::kHGetAll);
  Argument(key);
}

void CommandBatch::HMGet(std::string_view key, std::span<const std::string> fields) {
  Begin(Verb::kHMGet);
  Argument(key);
  for (const std::string& field : fields) Argument(field);
}

void CommandBatch::LRange(std::string_view key, std::int64_t start, std::int64_t stop) {
  Begin(Verb::kLRange);
  Argument(key);
  char digits[24];
  for (const std::int64_t end : {start, stop}) {
    const auto [last, error] = std::to_chars(digits, digits + sizeof(digits), end);
    Argument(std::string_view(digits, static_cast<std::size_t>(last - digits)));
  }
}

void CommandBatch::Clear() {
  bytes_.clear();
  ends_.clear();
  commands_.clear();
}

std::size_t CommandBatch::argument_count(std::size_t command) const {
  const std::size_t end =
      command + 1 < commands_.size() ? commands_[command + 1].first_argument : ends_.size();
  return end - commands_[command].first_argument;
}

std::string_view CommandBatch::argument(std::size_t command, std::size_t i) const {
  const std::size_t index = commands_[command].first_argument + i;
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(bytes_).substr(begin, ends_[index] - begin);
}

void CommandBatch::Begin(Verb verb) {
  commands_.push_back({verb, static_cast<std::uint32_t>(ends_.size())});
}

void CommandBatch::Argument(std::string_view text) {
  bytes_ += text;
  ends_.push_back(bytes_.size());
}

}  // namespace rankd
