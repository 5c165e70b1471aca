// The words of the text notation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/expr/diagnostics.h"

namespace rankd {

enum class TokenKind : std::uint8_t {
  kEnd,
  kError,  ///< Reported already.
  kInt,
  kFloat,
  kString,
  kName,
  kQualified,  ///< P.name
  kOr,
  kAnd,
  kNot,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kOpen,
  kClose,
  kOpenList,
  kCloseList,
  kComma,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourcePlace place = 0;
  std::string_view source;      ///< The bytes it was read from.
  std::uint64_t magnitude = 0;  ///< kInt: at most 2^63.
  double number = 0;            ///< kFloat
  std::string text;             ///< kString: escapes resolved.
};

class Lexer {
 public:
  /// `text` is valid UTF-8, shorter than 4 GiB, and outlives this.
  Lexer(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  /// Reads on. After kEnd or kError: the same again.
  Token Next();

 private:
  Token Number();
  Token String();
  Token Name();
  Token Operator();
  bool Escape(std::string& out);
  bool UnicodeEscape(std::string& out);
  int HexQuad();
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Token Make(TokenKind kind, std::size_t begin) const;
  Token Failed(std::size_t at, std::string message);

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace rankd
