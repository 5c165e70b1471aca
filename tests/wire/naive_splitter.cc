#include "tests/wire/naive_splitter.h"

#include <optional>

namespace rankd {
namespace {

using Status = RequestText::Status;

std::vector<std::string> Lines(const std::string& stream) {
  std::vector<std::string> lines(1);
  for (const char c : stream) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

std::string WithoutLineEnds(std::string text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.pop_back();
  return text;
}

/// The whole text looked at anew, byte by byte. Nullopt: brackets are open.
std::optional<Status> StatusOf(const std::string& text) {
  long depth = 0;
  bool in_string = false;
  bool escaped = false;
  for (const char c : text) {
    if (in_string) {
      if (escaped) {
        escaped = false;
      } else if (c == '\\') {
        escaped = true;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth < 0) return Status::kComplete;
    }
  }
  if (in_string) return Status::kTruncated;
  return depth == 0 ? std::optional(Status::kComplete) : std::nullopt;
}

}  // namespace

std::vector<Piece> SplitNaively(std::string stream, std::size_t max_request_bytes) {
  if (stream.starts_with("\xEF\xBB\xBF")) stream.erase(0, 3);
  std::vector<Piece> pieces;
  std::optional<std::string> open;
  std::uint64_t first_line = 0;
  bool skipping = false;
  std::uint64_t number = 0;
  for (const std::string& line : Lines(stream)) {
    ++number;
    const bool begins_object = line.starts_with('{');
    if (skipping && !begins_object) continue;
    skipping = false;
    if (open && begins_object) {
      pieces.push_back({Status::kTruncated, WithoutLineEnds(*open), first_line});
      open.reset();
    }
    if (open) {
      *open += "\n" + line;
    } else {
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string::npos) continue;
      open = line.substr(first);
      first_line = number;
    }
    if (open->size() - (open->ends_with('\r') ? 1 : 0) > max_request_bytes) {
      pieces.push_back({Status::kTooLarge, "", first_line});
      open.reset();
      skipping = true;
    } else if (const std::optional<Status> status = StatusOf(*open)) {
      pieces.push_back({*status, WithoutLineEnds(*open), first_line});
      open.reset();
    }
  }
  if (open) pieces.push_back({Status::kTruncated, WithoutLineEnds(*open), first_line});
  return pieces;
}

}  // namespace rankd
