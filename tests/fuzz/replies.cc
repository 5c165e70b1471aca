// RESP: what a naive reader reads, however the bytes are cut.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kv/redis/reply_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/reply_text.h"

namespace rankd::fuzz {
namespace {

using Progress = ReplyReader::Progress;

struct ReadOutcome {
  std::vector<std::string> replies;  ///< As ReplyText writes them.
  bool broken = false;
  bool operator==(const ReadOutcome&) const = default;
};

ReadOutcome Read(std::string_view bytes, std::size_t largest_chunk, std::mt19937& random) {
  ReplyReader reader;
  Replies replies;
  ReadOutcome outcome;
  while (!bytes.empty()) {
    const std::string chunk(bytes.substr(0, 1 + random() % largest_chunk));
    bytes.remove_prefix(chunk.size());
    reader.Feed(chunk);
    for (;;) {
      const Progress progress = reader.Next(&replies);
      if (progress == Progress::kMore) break;
      if (progress == Progress::kBroken) {
        Require(!reader.error().empty(), "broken, and no reason");
        outcome.broken = true;
        return outcome;
      }
      outcome.replies.push_back(ReplyText(replies[outcome.replies.size()]));
    }
  }
  return outcome;
}

/// RESP 2 as its specification has it, read recursively from the whole of the bytes.
class NaiveReader {
 public:
  explicit NaiveReader(std::string_view bytes) : rest_(bytes) {}

  ReadOutcome ReadAll() {
    ReadOutcome outcome;
    while (std::optional<std::string> reply = ReadReply(0)) outcome.replies.push_back(*reply);
    outcome.broken = broken_;
    return outcome;
  }
  /// Something beyond the limits of hiredis' versions, of which each has its own.
  bool beyond_limits() const { return beyond_limits_; }

 private:
  // Nullopt: broken, or bytes are missing.
  std::optional<std::string> ReadReply(int depth) {
    if (depth > 6) beyond_limits_ = true;
    if (rest_.empty() || broken_ || beyond_limits_) return std::nullopt;
    const char type = rest_.front();
    if (std::string_view("+-:$*").find(type) == std::string_view::npos) {
      broken_ = true;
      return std::nullopt;
    }
    const std::size_t end = rest_.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string line(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 2);
    if (type == '+' || type == '-') return type + line;
    const std::optional<std::int64_t> number = Number(line);
    if (!number) {
      broken_ = true;
      return std::nullopt;
    }
    if (type == ':') return std::to_string(*number);
    if (*number < -1 || *number > 100'000) {
      beyond_limits_ = true;
      return std::nullopt;
    }
    if (*number == -1) return "nil";
    const auto size = static_cast<std::size_t>(*number);
    return type == '$' ? ReadString(size) : ReadArray(size, depth);
  }

  std::optional<std::string> ReadString(std::size_t size) {
    if (rest_.size() < size + 2) return std::nullopt;
    broken_ = rest_.substr(size, 2) != "\r\n";
    if (broken_) return std::nullopt;
    std::string text = '"' + std::string(rest_.substr(0, size)) + '"';
    rest_.remove_prefix(size + 2);
    return text;
  }

  std::optional<std::string> ReadArray(std::size_t size, int depth) {
    std::string text = "[";
    for (std::size_t i = 0; i < size; ++i) {
      const std::optional<std::string> element = ReadReply(depth + 1);
      if (!element) return std::nullopt;
      text += (i == 0 ? "" : ",") + *element;
    }
    return text + "]";
  }

  /// As Redis writes it: no sign but a minus, no zeros in front.
  static std::optional<std::int64_t> Number(const std::string& line) {
    std::int64_t number = 0;
    const char* end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data(), end, number);
    if (error != std::errc() || stop != end || std::to_string(number) != line) return std::nullopt;
    return number;
  }

  std::string_view rest_;
  bool broken_ = false;
  bool beyond_limits_ = false;
};

std::string Show(const ReadOutcome& outcome) {
  std::string text;
  for (const std::string& reply : outcome.replies) text += reply + ' ';
  return text + (outcome.broken ? "!" : "");
}

}  // namespace

void FuzzReplies(std::string_view bytes) {
  std::mt19937 random = RandomOf(bytes);
  const ReadOutcome whole = Read(bytes, 1, random);
  for (const std::size_t chunk : {std::size_t{5}, std::size_t{64}, std::size_t{4096}}) {
    const ReadOutcome cut = Read(bytes, chunk, random);
    Require(cut == whole, "read as " + Show(cut) + ", not " + Show(whole));
  }
  NaiveReader naive(bytes);
  const ReadOutcome wanted = naive.ReadAll();
  if (naive.beyond_limits()) return;
  Require(whole == wanted, "read as " + Show(whole) + ", not " + Show(wanted));
}

}  // namespace rankd::fuzz
