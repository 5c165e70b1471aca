#include "engine/wire/splitter.h"

#include <array>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

/// A carry buffer larger than this is freed when its request has been given.
constexpr std::size_t kKeepCarryBytes = std::size_t{1} << 20;

const char* FindByte(const char* first, const char* last, char byte) {
  if (first == last) return nullptr;
  return static_cast<const char*>(std::memchr(first, byte, static_cast<std::size_t>(last - first)));
}

std::string_view Range(const char* first, const char* last) {
  return first == last ? std::string_view()
                       : std::string_view(first, static_cast<std::size_t>(last - first));
}

enum class ByteClass : std::uint8_t { kOther, kOpen, kClose, kQuote };

constexpr std::array<ByteClass, 256> MakeByteClasses() {
  std::array<ByteClass, 256> classes{};
  classes['{'] = classes['['] = ByteClass::kOpen;
  classes['}'] = classes[']'] = ByteClass::kClose;
  classes['"'] = ByteClass::kQuote;
  return classes;
}
constexpr std::array<ByteClass, 256> kByteClasses = MakeByteClasses();

/// The byte after the closing quote of the string that begins at `first`; nullptr: it has none.
const char* SkipString(const char* first, const char* last) {
  const char* from = first;
  while (const char* quote = FindByte(from, last, '"')) {
    const char* backslashes = quote;
    while (backslashes != from && backslashes[-1] == '\\') --backslashes;
    from = quote + 1;
    if ((quote - backslashes) % 2 == 0) return from;
  }
  return nullptr;
}

enum class LineEnd : std::uint8_t { kBalanced, kOpen, kInString };

/// Follows the brackets of one line. One that closes what was never opened makes the text beyond
/// repair: it ends with the line, as if balanced.
LineEnd ScanLine(std::string_view line, std::int64_t& depth) {
  const char* at = line.data();
  const char* const last = at + line.size();
  while (at != last) {
    const ByteClass found = kByteClasses[static_cast<unsigned char>(*at++)];
    if (found == ByteClass::kOther) continue;
    if (found == ByteClass::kQuote) {
      at = SkipString(at, last);
      if (at == nullptr) return LineEnd::kInString;
    } else if (found == ByteClass::kOpen) {
      ++depth;
    } else if (--depth < 0) {
      return LineEnd::kBalanced;
    }
  }
  return depth == 0 ? LineEnd::kBalanced : LineEnd::kOpen;
}

}  // namespace

RequestSplitter::RequestSplitter(std::size_t max_request_bytes)
    : max_request_bytes_(max_request_bytes) {}

void RequestSplitter::Feed(std::string_view bytes) {
  RANKD_CHECK(cursor_ == end_ && !finished_);
  cursor_ = bytes.data();
  end_ = cursor_ + bytes.size();
  begin_ = cursor_;
}

void RequestSplitter::FinishInput() { finished_ = true; }

std::optional<RequestText> RequestSplitter::Next() {
  if (carry_given_) {
    if (carry_.capacity() > kKeepCarryBytes) carry_ = std::string();
    carry_.clear();
    carry_given_ = false;
  }
  while (true) {
    if (skipping_ && !SkipToObject()) return std::nullopt;
    if (!in_request_) {
      if (at_stream_start_ && !SkipBom()) return std::nullopt;
      if (!in_request_ && !SkipToRequest()) return std::nullopt;
    } else if (!line_begun_ && cursor_ != end_ && *cursor_ == '{') {
      return End(RequestText::Status::kTruncated, cursor_);
    }
    const char* newline = FindByte(cursor_, end_, '\n');
    if (newline == nullptr && !finished_) return OutOfBytes();
    const char* line_end = newline == nullptr ? end_ : newline;
    if (std::optional<RequestText> text = EndLine(line_end, newline != nullptr)) return text;
  }
}

/// False: what came so far is the beginning of a BOM, or nothing.
bool RequestSplitter::SkipBom() {
  while (bom_bytes_ < kByteOrderMark.size() && cursor_ != end_ &&
         *cursor_ == kByteOrderMark[bom_bytes_]) {
    ++cursor_;
    ++bom_bytes_;
  }
  if (bom_bytes_ < kByteOrderMark.size() && cursor_ == end_ && !finished_) return false;
  at_stream_start_ = false;
  if (bom_bytes_ > 0 &&
      bom_bytes_ < kByteOrderMark.size()) {  // Not one after all: bytes of a request.
    BeginRequest();
    carry_ = kByteOrderMark.substr(0, bom_bytes_);
    carried_line_bytes_ = bom_bytes_;
    line_begun_ = true;
  }
  return true;
}

/// Skips blank lines and the blanks before a request, then begins one. False: no more bytes.
bool RequestSplitter::SkipToRequest() {
  for (; cursor_ != end_; ++cursor_) {
    if (*cursor_ == '\n') {
      ++line_;
    } else if (*cursor_ != ' ' && *cursor_ != '\t' && *cursor_ != '\r') {
      BeginRequest();
      return true;
    }
  }
  return false;
}

/// Skips to a line that begins with `{`. False: no more bytes.
bool RequestSplitter::SkipToObject() {
  while (cursor_ != end_) {
    if (!line_begun_ && *cursor_ == '{') {
      skipping_ = false;
      return true;
    }
    const char* newline = FindByte(cursor_, end_, '\n');
    line_begun_ = newline == nullptr;
    cursor_ = newline == nullptr ? end_ : newline + 1;
    if (newline != nullptr) ++line_;
  }
  return false;
}

void RequestSplitter::BeginRequest() {
  in_request_ = true;
  first_line_ = line_;
  depth_ = 0;
  begin_ = cursor_;
}

/// The current line ends at `line_end`; without a newline there, so does the stream.
std::optional<RequestText> RequestSplitter::EndLine(const char* line_end, bool at_newline) {
  std::string_view line = Range(cursor_, line_end);
  std::string_view text = Range(begin_, line_end);
  if (!carry_.empty()) {
    const std::size_t line_bytes = carried_line_bytes_ + line.size();
    carry_.append(text);
    begin_ = line_end;
    text = carry_;
    line = text.substr(text.size() - line_bytes);
  }
  const bool ends_in_cr = line.ends_with('\r');
  if (text.size() - (ends_in_cr ? 1 : 0) > max_request_bytes_) return EndTooLarge();

  const LineEnd line_ended = ScanLine(line, depth_);
  cursor_ = line_end;
  carried_line_bytes_ = 0;
  line_begun_ = false;
  if (at_newline) {
    ++cursor_;
    ++line_;
  }
  if (line_ended == LineEnd::kBalanced) return End(RequestText::Status::kComplete, line_end);
  if (line_ended == LineEnd::kInString || !at_newline) {
    return End(RequestText::Status::kTruncated, line_end);
  }
  return std::nullopt;
}

/// Keeps what there is of an open request until more comes.
std::optional<RequestText> RequestSplitter::OutOfBytes() {
  carry_.append(Range(begin_, end_));
  carried_line_bytes_ += static_cast<std::size_t>(end_ - cursor_);
  line_begun_ = carried_line_bytes_ != 0;
  // Settled only once the line has a byte (a `{` would end the request before it), and with room
  // for a carriage return, which will not count if the line ends after it.
  const bool too_large = line_begun_ && carry_.size() - 1 > max_request_bytes_;
  if (too_large) return EndTooLarge();
  cursor_ = begin_ = end_;
  return std::nullopt;
}

/// Gives the request up to `text_end`, without its last line end.
RequestText RequestSplitter::End(RequestText::Status status, const char* text_end) {
  std::string_view text = Range(begin_, text_end);
  if (!carry_.empty()) {
    carry_.append(text);
    text = carry_;
    carry_given_ = true;
  }
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  in_request_ = false;
  begin_ = cursor_;
  return {status, text, first_line_};
}

/// Gives up the request; the current line's rest goes with it.
RequestText RequestSplitter::EndTooLarge() {
  if (carry_.capacity() > kKeepCarryBytes) carry_ = std::string();
  carry_.clear();
  carried_line_bytes_ = 0;
  in_request_ = false;
  skipping_ = true;
  line_begun_ = true;
  return {RequestText::Status::kTooLarge, {}, first_line_};
}

}  // namespace rankd
