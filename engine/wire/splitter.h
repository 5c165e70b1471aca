// Cuts a byte stream into requests: NDJSON, or pretty-printed over several lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankd {

/// One request's bytes, or what stands in place of one.
struct RequestText {
  enum class Status : std::uint8_t {
    kComplete,   ///< Brackets balance; may still be anything but valid JSON.
    kTruncated,  ///< A new request began, or the stream ended, inside: invalid_json.
    kTooLarge,   ///< request_too_large; `bytes` is empty.
  };
  Status status = Status::kComplete;
  std::string_view bytes;        ///< Valid until the next call of Next, Feed or FinishInput.
  std::uint64_t first_line = 0;  ///< From 1, counting all lines.
};

/// Pure; single-threaded. The rules are section 5 of the stream format: lines are joined until
/// brackets balance; a line that begins with `{` in column one while a request is open ends the
/// open one as truncated and begins a new one, and so does a raw newline inside a string; blank
/// lines, a leading BOM and CRLF are skipped; after kTooLarge reading resumes at the next line that
/// begins with `{`. Memory is bounded by max_request_bytes plus what is fed at once.
///
/// A request that lies whole in the fed bytes is not copied. How the stream is cut into Feeds makes
/// no difference to what Next gives.
class RequestSplitter {
 public:
  /// A request may be `max_request_bytes` long, its last line's end not counted.
  explicit RequestSplitter(std::size_t max_request_bytes);

  /// Takes bytes, which must stay where they are until Next has given nothing: feed more only then.
  void Feed(std::string_view bytes);
  /// No more bytes will come; Next then gives what is left.
  void FinishInput();
  /// Nothing: all that was fed has been taken in.
  std::optional<RequestText> Next();

 private:
  bool SkipBom();
  bool SkipToRequest();
  bool SkipToObject();
  void BeginRequest();
  std::optional<RequestText> EndLine(const char* line_end, bool at_newline);
  std::optional<RequestText> OutOfBytes();
  RequestText End(RequestText::Status status, const char* text_end);
  RequestText EndTooLarge();

  std::size_t max_request_bytes_;
  const char* cursor_ = nullptr;  ///< First byte not taken in, in the current line.
  const char* end_ = nullptr;     ///< Of the fed bytes.
  bool finished_ = false;

  std::uint64_t line_ = 1;       ///< The current line.
  bool line_begun_ = false;      ///< Bytes of it came with an earlier Feed.
  std::size_t bom_bytes_ = 0;    ///< Of a BOM, seen so far at the very start.
  bool at_stream_start_ = true;  ///< It may still be a BOM.
  bool skipping_ = false;        ///< After kTooLarge.

  bool in_request_ = false;
  std::uint64_t first_line_ = 1;        ///< Of the request.
  std::int64_t depth_ = 0;              ///< Brackets open after its lines before this one.
  const char* begin_ = nullptr;         ///< Its bytes among the fed ones begin here …
  std::string carry_;                   ///< … and follow these, from earlier Feeds.
  std::size_t carried_line_bytes_ = 0;  ///< How many of those are of the current line.
  bool carry_given_ = false;            ///< carry_ is what Next gave last; to be cleared.
};

}  // namespace rankd
