#include "engine/base/json_syntax.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/number_text.h"

namespace rankd {
namespace {

constexpr std::size_t kShownBytes = 24;

bool IsDecimal(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// What a word or number that is none may run on with.
bool IsWordPart(char c) { return IsDecimal(c) || IsLetter(c) || c == '.' || c == '+' || c == '-'; }

int HexDigit(char c) {
  if (IsDecimal(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Whether `text` is a number of RFC 8259.
bool IsNumber(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && IsDecimal(text[i])) ++i;
    return i - begin;
  };
  const bool zero = i < text.size() && text[i] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

/// Walks the text once; stops at the first error.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<JsonSyntaxError> Scan() {
    enum class Want { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kComma, kNothing };
    Want want = Want::kValue;
    const auto after_value = [&] { want = open_.empty() ? Want::kNothing : Want::kComma; };
    for (;;) {
      SkipSpace();
      const bool in_array = !open_.empty() && open_.back() == '[';
      switch (want) {
        case Want::kNothing:
          return at_ == text_.size() ? std::nullopt : Expected("nothing more");
        case Want::kValueOrEnd:
          if (Take(']')) {
            open_.pop_back();
            after_value();
            break;
          }
          [[fallthrough]];
        case Want::kValue:
          if (Take('{')) {
            open_.push_back('{');
            want = Want::kKeyOrEnd;
          } else if (Take('[')) {
            open_.push_back('[');
            want = Want::kValueOrEnd;
          } else {
            if (!Scalar()) return error_;
            after_value();
          }
          break;
        case Want::kKeyOrEnd:
          if (Take('}')) {
            open_.pop_back();
            after_value();
            break;
          }
          [[fallthrough]];
        case Want::kKey:
          if (Peek() != '"') return Expected("a name in double quotes");
          if (!String()) return error_;
          want = Want::kColon;
          break;
        case Want::kColon:
          if (!Take(':')) return Expected("\":\"");
          want = Want::kValue;
          break;
        case Want::kComma:
          if (Take(',')) {
            want = in_array ? Want::kValue : Want::kKey;
          } else if (Take(in_array ? ']' : '}')) {
            open_.pop_back();
            after_value();
          } else {
            return Expected(in_array ? "\",\" or \"]\"" : "\",\" or \"}\"");
          }
          break;
      }
    }
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    constexpr std::string_view kSpace = " \t\r\n";
    while (at_ < text_.size() && kSpace.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  /// What stands at `at_`, up to where it can be told to end.
  std::string_view Word() const {
    std::size_t end = at_;
    while (end < text_.size() && IsWordPart(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  std::optional<JsonSyntaxError> Expected(std::string_view wanted) {
    std::string found;
    if (at_ >= text_.size()) {
      found = "the end";
    } else if (const std::string_view word = Word(); !word.empty()) {
      found = word.substr(0, kShownBytes);
      if (word.size() > kShownBytes) found += "…";
    } else if (const auto byte = static_cast<unsigned char>(text_[at_]); byte < 0x20) {
      found = "a control character";
    } else if (byte >= 0x80) {
      found = "a character outside quotes";
    } else if (byte == '"') {
      found = "a string";
    } else {
      found = byte == '\'' ? "a single quote" : "\"" + std::string(1, text_[at_]) + "\"";
    }
    return Say(at_, "expected " + std::string(wanted) + ", not " + found);
  }

  std::optional<JsonSyntaxError> Say(std::size_t place, std::string what) {
    JsonSyntaxError error;
    const std::string_view before = text_.substr(0, place);
    error.line += static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t line_begin = before.rfind('\n');
    error.column += line_begin == std::string_view::npos ? place : place - line_begin - 1;
    error.what = std::move(what);
    error_ = error;
    return error_;
  }

  /// A value that is no array and no object; false after an error.
  bool Scalar() {
    if (Peek() == '"') return String();
    const std::string_view word = Word();
    if (word == "true" || word == "false" || word == "null") {
      at_ += word.size();
      return true;
    }
    const bool number_like = !word.empty() && (IsDecimal(word[0]) || word[0] == '-');
    if (!number_like || (word.size() > 1 && IsLetter(word[1]) && word[0] == '-')) {
      Expected("a value");
      return false;
    }
    return Number(word);
  }

  bool Number(std::string_view word) {
    std::string shown(word.substr(0, kShownBytes));
    if (shown.size() < word.size()) shown += "…";
    if (!IsNumber(word)) {
      Say(at_, "the number " + shown + " is malformed");
      return false;
    }
    const bool whole = word.find_first_of(".eE") == std::string_view::npos;
    const bool fits = whole ? FitsInteger(word) : ParseFloat(word).has_value();
    if (!fits) {
      Say(at_, "the number " + shown + (whole ? " is beyond 64 bits" : " is beyond any double"));
      return false;
    }
    at_ += word.size();
    return true;
  }

  /// Within −2^63…2^64−1.
  static bool FitsInteger(std::string_view word) {
    if (ParseInt(word)) return true;
    constexpr std::string_view kLargest = "18446744073709551615";
    return word[0] != '-' &&
           (word.size() < kLargest.size() || (word.size() == kLargest.size() && word <= kLargest));
  }

  bool String() {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        Say(at_, "a control character inside a string; write it as an escape such as \\n");
        return false;
      }
      if (c == '\\') {
        if (!Escape()) return false;
      } else {
        ++at_;
      }
    }
    Say(begin, "the string that begins here has no closing quote");
    return false;
  }

  bool Escape() {
    const std::size_t begin = at_++;
    const char c = Peek();
    if (c != 'u') {
      constexpr std::string_view kEscapes = "\"\\/bfnrt";
      if (c != '\0' && kEscapes.find(c) != std::string_view::npos) {
        ++at_;
        return true;
      }
      Say(begin, "a backslash that begins no escape");
      return false;
    }
    const std::optional<unsigned> first = CodeUnit();
    if (!first) {
      Say(begin, "\\u needs four hexadecimal digits");
      return false;
    }
    const bool high = *first >= 0xD800 && *first < 0xDC00;
    bool fits = *first < 0xD800 || *first >= 0xE000;
    if (high && text_.substr(at_).starts_with("\\u")) {
      ++at_;
      const std::optional<unsigned> second = CodeUnit();
      fits = second && *second >= 0xDC00 && *second < 0xE000;
    }
    if (!fits) Say(begin, "a lone surrogate");
    return fits;
  }

  /// The four digits after the `u` at `at_`, which are taken.
  std::optional<unsigned> CodeUnit() {
    unsigned unit = 0;
    for (std::size_t i = 1; i <= 4; ++i) {
      const int digit = at_ + i < text_.size() ? HexDigit(text_[at_ + i]) : -1;
      if (digit < 0) return std::nullopt;
      unit = unit * 16 + static_cast<unsigned>(digit);
    }
    at_ += 5;
    return unit;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<char> open_;  ///< The brackets that are open.
  std::optional<JsonSyntaxError> error_;
};

}  // namespace

std::string JsonSyntaxError::Words(bool one_line) const {
  return (one_line ? "" : "line " + std::to_string(line) + ", ") + "column " +
         std::to_string(column) + ": " + what;
}

std::optional<JsonSyntaxError> FindJsonSyntaxError(std::string_view text) {
  return Scanner(text).Scan();
}

}  // namespace rankd
