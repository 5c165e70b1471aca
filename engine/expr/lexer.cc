#include "engine/expr/lexer.h"

#include <utility>

#include "engine/base/number_text.h"

namespace rankd {
namespace {

constexpr std::uint64_t kLargestMagnitude = std::uint64_t{1} << 63;

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void AppendUtf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// What to write instead of an operator of another language, or "".
std::string_view InsteadOf(char c) {
  switch (c) {
    case '=':
      return "; equality is \"==\"";
    case '&':
      return "; \"and\" is \"&&\"";
    case '|':
      return "; \"or\" is \"||\"";
    case '^':
      return "; a power is pow(a, b)";
    case '?':
      return "; a choice is if(condition, a, b)";
    case '.':
      return "; a decimal has digits on both sides of its point";
    default:
      return "";
  }
}

}  // namespace

Token Lexer::Make(TokenKind kind, std::size_t begin) const {
  Token token;
  token.kind = kind;
  token.place = static_cast<SourcePlace>(begin);
  token.source = text_.substr(begin, at_ - begin);
  return token;
}

Token Lexer::Failed(std::size_t at, std::string message) {
  diagnostics_.Report(static_cast<SourcePlace>(at), std::move(message));
  failed_ = true;
  return Make(TokenKind::kError, at_);
}

Token Lexer::Next() {
  if (failed_) return Make(TokenKind::kError, at_);
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  if (at_ == text_.size()) return Make(TokenKind::kEnd, at_);
  const char c = text_[at_];
  if (IsDigit(c)) return Number();
  if (c == '\'' || c == '"') return String();
  if (IsNameStart(c)) return Name();
  return Operator();
}

Token Lexer::Number() {
  const std::size_t begin = at_;
  bool integral = true;
  while (IsDigit(Peek())) ++at_;
  if (Peek() == '.' && IsDigit(Peek(1))) {
    integral = false;
    ++at_;
    while (IsDigit(Peek())) ++at_;
  }
  if (Peek() == 'e' || Peek() == 'E') {
    const std::size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 2 : 1;
    if (IsDigit(Peek(sign))) {
      integral = false;
      at_ += sign;
      while (IsDigit(Peek())) ++at_;
    }
  }
  if (IsNamePart(Peek()) || Peek() == '.') {
    return Failed(begin, "malformed number; a decimal is written like 0.5, 1e-3 or 2.5e6");
  }
  Token token = Make(integral ? TokenKind::kInt : TokenKind::kFloat, begin);
  // Leading zeros mean nothing.
  std::string_view digits = token.source;
  while (digits.size() > 1 && digits[0] == '0' && IsDigit(digits[1])) digits.remove_prefix(1);
  if (!integral) {
    const std::optional<double> number = ParseFloat(digits);
    if (!number) return Failed(begin, "no double can hold this number");
    token.number = *number;
    return token;
  }
  if (digits.size() > 19) return Failed(begin, "the integer does not fit 64 bits");
  for (const char digit : digits) {
    token.magnitude = token.magnitude * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (token.magnitude > kLargestMagnitude) {
    return Failed(begin, "the integer does not fit 64 bits");
  }
  return token;
}

Token Lexer::String() {
  const std::size_t begin = at_;
  const char quote = text_[at_++];
  std::string text;
  while (true) {
    if (at_ == text_.size()) return Failed(begin, "the string has no closing quote");
    const char c = text_[at_];
    if (c == quote) break;
    if (c == '\\') {
      if (!Escape(text)) return Make(TokenKind::kError, at_);
    } else {
      text += c;
      ++at_;
    }
  }
  ++at_;
  Token token = Make(TokenKind::kString, begin);
  token.text = std::move(text);
  return token;
}

bool Lexer::Escape(std::string& out) {
  static constexpr std::string_view kNames = "\"'\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"'\\/\b\f\n\r\t";
  if (Peek(1) == 'u') return UnicodeEscape(out);
  const std::size_t which = at_ + 1 < text_.size() ? kNames.find(text_[at_ + 1]) : kNames.npos;
  if (which == kNames.npos) {
    (void)Failed(at_, "unknown escape; there are \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    return false;
  }
  out += kMeanings[which];
  at_ += 2;
  return true;
}

int Lexer::HexQuad() {
  if (text_.size() - at_ < 6 || text_[at_] != '\\' || text_[at_ + 1] != 'u') return -1;
  int value = 0;
  for (const char c : text_.substr(at_ + 2, 4)) {
    const int digit = IsDigit(c)               ? c - '0'
                      : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                      : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                               : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool Lexer::UnicodeEscape(std::string& out) {
  const std::size_t begin = at_;
  const int first = HexQuad();
  if (first < 0) {
    (void)Failed(begin, "\\u needs four hexadecimal digits");
    return false;
  }
  at_ += 6;
  auto code = static_cast<std::uint32_t>(first);
  if (code >= 0xD800 && code <= 0xDFFF) {
    const int second = code <= 0xDBFF ? HexQuad() : -1;
    if (second < 0xDC00 || second > 0xDFFF) {
      (void)Failed(begin, "a lone surrogate is no character");
      return false;
    }
    at_ += 6;
    code = 0x10000 + ((code - 0xD800) << 10) + (static_cast<std::uint32_t>(second) - 0xDC00);
  }
  AppendUtf8(out, code);
  return true;
}

Token Lexer::Name() {
  const std::size_t begin = at_;
  while (IsNamePart(Peek())) ++at_;
  if (Peek() != '.' || !IsNameStart(Peek(1))) return Make(TokenKind::kName, begin);
  ++at_;
  while (IsNamePart(Peek())) ++at_;
  return Make(TokenKind::kQualified, begin);
}

Token Lexer::Operator() {
  struct Spelling {
    std::string_view text;
    TokenKind kind;
  };
  static constexpr Spelling kSpellings[] = {
      {"||", TokenKind::kOr},   {"&&", TokenKind::kAnd},     {"==", TokenKind::kEq},
      {"!=", TokenKind::kNe},   {"<=", TokenKind::kLe},      {">=", TokenKind::kGe},
      {"<", TokenKind::kLt},    {">", TokenKind::kGt},       {"!", TokenKind::kNot},
      {"+", TokenKind::kPlus},  {"-", TokenKind::kMinus},    {"*", TokenKind::kStar},
      {"/", TokenKind::kSlash}, {"%", TokenKind::kPercent},  {"(", TokenKind::kOpen},
      {")", TokenKind::kClose}, {"[", TokenKind::kOpenList}, {"]", TokenKind::kCloseList},
      {",", TokenKind::kComma},
  };
  const std::size_t begin = at_;
  for (const Spelling& spelling : kSpellings) {
    if (text_.substr(at_, spelling.text.size()) == spelling.text) {
      at_ += spelling.text.size();
      return Make(spelling.kind, begin);
    }
  }
  std::size_t end = begin + 1;
  while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
  return Failed(begin, "unexpected character " + Quoted(text_.substr(begin, end - begin)) +
                           std::string(InsteadOf(text_[begin])));
}

}  // namespace rankd
