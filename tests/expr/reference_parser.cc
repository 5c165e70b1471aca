#include "tests/expr/reference_parser.h"

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/number_text.h"

namespace rankd::test {
namespace {

/// Thrown and caught here: the text is no expression.
struct NoExpression {};

class Parser {
 public:
  Parser(std::string_view text, const TypeOfName& type_of) : rest_(text), type_of_(type_of) {}

  Tree Whole() {
    Tree tree = Binary(0);
    SkipSpace();
    if (!rest_.empty()) throw NoExpression();
    return tree;
  }

 private:
  using Operators = std::vector<std::string_view>;

  /// The levels of operators that have two sides, loosest first. Prefixes lie between them.
  static const std::vector<Operators>& Levels() {
    static const std::vector<Operators> levels = {
        {"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    return levels;
  }
  static constexpr std::size_t kComparison = 2;

  Tree Binary(std::size_t level) {
    if (level == Levels().size()) return Sign();
    if (level == kComparison) return Not();
    Tree left = Binary(level + 1);
    while (const auto op = TakeOneOf(Levels()[level])) {
      std::vector<Tree> kids;
      kids.push_back(std::move(left));
      kids.push_back(Binary(level + 1));
      left = Node(std::string(*op), std::move(kids));
    }
    return left;
  }

  Tree Not() {
    SkipSpace();
    if (rest_.starts_with("!") && !rest_.starts_with("!=")) {
      rest_.remove_prefix(1);
      return Node("!", {Not()});
    }
    Tree left = Binary(kComparison + 1);
    if (const auto op = TakeOneOf(Levels()[kComparison])) {
      Tree right = Binary(kComparison + 1);
      return Node(std::string(*op), {std::move(left), std::move(right)});
    }
    if (TakeWord("in")) return In(std::move(left), List());
    return left;
  }

  Tree Sign() {
    if (!Take("-")) return Primary();
    SkipSpace();
    // The one integer that has no positive counterpart.
    const std::string_view before = rest_;
    if (!rest_.empty() && IsDigit(rest_.front())) {
      const Value number = Number(true);
      if (number == Value(std::int64_t{INT64_MIN})) return Literal(number);
      rest_ = before;
    }
    return Node("neg", {Sign()});
  }

  Tree Primary() {
    SkipSpace();
    if (rest_.empty()) throw NoExpression();
    const char c = rest_.front();
    if (IsDigit(c)) return Literal(Number(false));
    if (c == '\'' || c == '"') return Literal(String());
    if (Take("(")) {
      Tree inner = Binary(0);
      Want(")");
      return inner;
    }
    std::string name = Word();
    if (name == "true" || name == "false") return Literal(name == "true");
    if (name == "null") return NullLiteral();
    if (rest_.starts_with(".")) return Qualified(name);
    if (Take("(")) return Node(std::move(name), Arguments());
    return Key(name, Known(name));
  }

  std::vector<Tree> Arguments() {
    std::vector<Tree> arguments;
    if (Take(")")) return arguments;
    do arguments.push_back(Binary(0));
    while (Take(","));
    Want(")");
    return arguments;
  }

  Tree Qualified(const std::string& space) {
    if (space != "P") throw NoExpression();
    rest_.remove_prefix(1);
    std::string name = Word();
    const ValueType type = Known("P." + name);
    return Param(std::move(name), type);
  }

  ValueType Known(const std::string& name) {
    const auto type = type_of_(name);
    if (!type) throw NoExpression();
    return *type;
  }

  std::vector<Value> List() {
    std::vector<Value> list;
    Want("[");
    if (Take("]")) return list;
    do list.push_back(Item());
    while (Take(","));
    Want("]");
    return list;
  }

  Value Item() {
    const bool minus = Take("-");
    SkipSpace();
    if (rest_.empty()) throw NoExpression();
    if (IsDigit(rest_.front())) return Number(minus);
    if (minus) throw NoExpression();
    if (rest_.front() == '\'' || rest_.front() == '"') return String();
    const std::string word = Word();
    if (word == "null") return {};
    if (word != "true" && word != "false") throw NoExpression();
    return word == "true";
  }

  Value Number(bool minus) {
    std::string text(minus ? "-" : "");
    bool integral = true;
    const auto digits = [&] {
      while (!rest_.empty() && IsDigit(rest_.front())) text += TakeChar();
    };
    digits();
    if (rest_.size() > 1 && rest_[0] == '.' && IsDigit(rest_[1])) {
      integral = false;
      text += TakeChar();
      digits();
    }
    if (!rest_.empty() && (rest_[0] == 'e' || rest_[0] == 'E')) {
      integral = false;
      text += TakeChar();
      if (!rest_.empty() && (rest_[0] == '+' || rest_[0] == '-')) text += TakeChar();
      digits();
    }
    // Leading zeros mean nothing.
    const std::size_t zeros = minus ? 1 : 0;
    while (text.size() > zeros + 1 && text[zeros] == '0' && IsDigit(text[zeros + 1])) {
      text.erase(zeros, 1);
    }
    const auto number = [](const auto& parsed) -> Value {
      if (!parsed) throw NoExpression();
      return *parsed;
    };
    return integral ? number(ParseInt(text)) : number(ParseFloat(text));
  }

  /// As a JSON string, once its quotes are those of JSON.
  std::string String() {
    const char quote = TakeChar();
    std::string json = "\"";
    while (true) {
      if (rest_.empty()) throw NoExpression();
      const char c = TakeChar();
      if (c == quote) break;
      if (c == '\\' && !rest_.empty() && rest_.front() == '\'') {
        json += TakeChar();
      } else if (c == '\\' && !rest_.empty()) {
        json += c;
        json += TakeChar();
      } else if (c == '"') {
        json += "\\\"";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        // A string may hold these as they are.
        constexpr char kHex[] = "0123456789abcdef";
        json += std::string("\\u00") + kHex[c >> 4] + kHex[c & 15];
      } else {
        json += c;
      }
    }
    const Result<JsonDocument> parsed = ParseJson(json + '"');
    if (!parsed) throw NoExpression();
    return std::string(*parsed->root().AsString());
  }

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsWordChar(char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  std::string Word() {
    SkipSpace();
    if (rest_.empty() || IsDigit(rest_.front())) throw NoExpression();
    std::string word;
    while (!rest_.empty() && IsWordChar(rest_.front())) word += TakeChar();
    if (word.empty()) throw NoExpression();
    return word;
  }

  bool TakeWord(std::string_view word) {
    SkipSpace();
    if (!rest_.starts_with(word)) return false;
    if (rest_.size() > word.size() && IsWordChar(rest_[word.size()])) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void SkipSpace() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  char TakeChar() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool Take(std::string_view what) {
    SkipSpace();
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  void Want(std::string_view what) {
    if (!Take(what)) throw NoExpression();
  }
  std::optional<std::string_view> TakeOneOf(const Operators& operators) {
    for (const std::string_view op : operators) {
      if (Take(op)) return op;
    }
    return std::nullopt;
  }

  std::string_view rest_;
  const TypeOfName& type_of_;
};

}  // namespace

std::optional<Tree> ParseReference(std::string_view text, const TypeOfName& type_of) {
  try {
    return Parser(text, type_of).Whole();
  } catch (const NoExpression&) {
    return std::nullopt;
  }
}

}  // namespace rankd::test
