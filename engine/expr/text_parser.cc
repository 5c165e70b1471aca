#include "engine/expr/text_parser.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/expr/expression.h"
#include "engine/expr/lexer.h"

namespace rankd {
namespace {

constexpr std::uint64_t kMaxMagnitude = std::numeric_limits<std::int64_t>::max();

/// A node with the depth of the tree below it.
struct Parsed {
  NodeIndex node;
  std::size_t depth;
};
using MaybeParsed = std::optional<Parsed>;  // nullopt: reported

NodeOp OrOp(TokenKind kind) { return kind == TokenKind::kOr ? NodeOp::kOr : NodeOp::kBroken; }
NodeOp AndOp(TokenKind kind) { return kind == TokenKind::kAnd ? NodeOp::kAnd : NodeOp::kBroken; }
NodeOp SumOp(TokenKind kind) {
  return kind == TokenKind::kPlus    ? NodeOp::kAdd
         : kind == TokenKind::kMinus ? NodeOp::kSub
                                     : NodeOp::kBroken;
}
NodeOp ProductOp(TokenKind kind) {
  return kind == TokenKind::kStar      ? NodeOp::kMul
         : kind == TokenKind::kSlash   ? NodeOp::kDiv
         : kind == TokenKind::kPercent ? NodeOp::kMod
                                       : NodeOp::kBroken;
}
NodeOp ComparisonOp(TokenKind kind) {
  if (kind < TokenKind::kEq || kind > TokenKind::kGe) return NodeOp::kBroken;
  const int offset = static_cast<int>(kind) - static_cast<int>(TokenKind::kEq);
  return static_cast<NodeOp>(static_cast<int>(NodeOp::kEq) + offset);
}
static_assert(static_cast<int>(TokenKind::kGe) - static_cast<int>(TokenKind::kEq) ==
              static_cast<int>(NodeOp::kGe) - static_cast<int>(NodeOp::kEq));

/// Recursive descent, one function a level of precedence, the loosest first.
class TextParser {
 public:
  TextParser(std::string_view text, Ast& ast, Diagnostics& diagnostics)
      : lexer_(text, diagnostics), ast_(ast), diagnostics_(diagnostics), token_(lexer_.Next()) {}

  bool Parse() {
    if (!Or()) return false;
    return Is(TokenKind::kEnd) || Unexpected("an operator or the end").has_value();
  }

 private:
  using Level = MaybeParsed (TextParser::*)();

  MaybeParsed Or() { return Chain(&TextParser::And, OrOp); }
  MaybeParsed And() { return Chain(&TextParser::Not, AndOp); }
  MaybeParsed Not() { return Prefix(TokenKind::kNot, NodeOp::kNot, &TextParser::Comparison); }
  MaybeParsed Comparison();
  MaybeParsed Sum() { return Chain(&TextParser::Product, SumOp); }
  MaybeParsed Product() { return Chain(&TextParser::Sign, ProductOp); }
  MaybeParsed Sign() { return Prefix(TokenKind::kMinus, NodeOp::kNeg, &TextParser::Primary); }
  MaybeParsed Primary();

  MaybeParsed Chain(Level tighter, NodeOp (*op_of)(TokenKind));
  MaybeParsed Prefix(TokenKind token, NodeOp op, Level tighter);
  MaybeParsed Parenthesised();
  MaybeParsed NameOrCall();
  MaybeParsed Call(const Token& name);
  MaybeParsed Qualified();
  MaybeParsed In(Parsed operand);
  bool Item(std::vector<ListItem>& list);

  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool IsWord(std::string_view word) const { return Is(TokenKind::kName) && token_.source == word; }
  void Advance() { token_ = lexer_.Next(); }
  bool Expect(TokenKind kind, std::string_view what);
  MaybeParsed Unexpected(std::string_view wanted);
  MaybeParsed Fail(SourcePlace place, std::string message);
  MaybeParsed Make(AstNode node, std::span<const NodeIndex> children, std::size_t depth);
  /// False, reported, when one more construct may not be open at once.
  bool Enter();
  void Leave() { --open_; }

  Lexer lexer_;
  Ast& ast_;
  Diagnostics& diagnostics_;
  Token token_;
  std::size_t open_ = 0;
};

MaybeParsed TextParser::Fail(SourcePlace place, std::string message) {
  diagnostics_.Report(place, std::move(message));
  return std::nullopt;
}

MaybeParsed TextParser::Unexpected(std::string_view wanted) {
  if (Is(TokenKind::kError)) return std::nullopt;
  std::string message = "expected " + std::string(wanted) + ", found ";
  message += Is(TokenKind::kEnd) ? "the end" : Quoted(token_.source);
  if (IsWord("and")) message += "; \"and\" is \"&&\"";
  if (IsWord("or")) message += "; \"or\" is \"||\"";
  if (IsWord("not")) message += "; \"not\" is \"!\"";
  if (Is(TokenKind::kStar)) message += "; a power is pow(a, b)";
  if (Is(TokenKind::kNot)) message += "; put the \"!\" into parentheses";
  return Fail(token_.place, std::move(message));
}

bool TextParser::Expect(TokenKind kind, std::string_view what) {
  if (!Is(kind)) return Unexpected(what).has_value();
  Advance();
  return true;
}

bool TextParser::Enter() {
  if (++open_ <= kMaxExpressionDepth) return true;
  (void)Fail(token_.place,
             "the expression is nested more than " + std::to_string(kMaxExpressionDepth) + " deep");
  return false;
}

MaybeParsed TextParser::Make(AstNode node, std::span<const NodeIndex> children, std::size_t depth) {
  if (depth > kMaxExpressionDepth) {
    return Fail(node.place, "the expression is nested more than " +
                                std::to_string(kMaxExpressionDepth) + " deep");
  }
  if (ast_.size() >= kMaxExpressionNodes) {
    return Fail(node.place,
                "the expression has more than " + std::to_string(kMaxExpressionNodes) + " nodes");
  }
  return Parsed{ast_.Add(node, children), depth};
}

MaybeParsed TextParser::Chain(Level tighter, NodeOp (*op_of)(TokenKind)) {
  MaybeParsed left = (this->*tighter)();
  bool first = true;
  while (left) {
    AstNode node;
    node.op = op_of(token_.kind);
    if (node.op == NodeOp::kBroken) return left;
    node.place = token_.place;
    Advance();
    const MaybeParsed right = (this->*tighter)();
    if (!right) return std::nullopt;
    const std::size_t left_depth = first ? left->depth + 1 : left->depth;
    const NodeIndex children[] = {left->node, right->node};
    left = Make(node, children, std::max(left_depth, right->depth + 1));
    first = false;
  }
  return left;
}

MaybeParsed TextParser::Prefix(TokenKind token, NodeOp op, Level tighter) {
  if (!Is(token)) return (this->*tighter)();
  AstNode node;
  node.op = op;
  node.place = token_.place;
  if (!Enter()) return std::nullopt;
  Advance();
  // The one integer that has no positive counterpart.
  if (op == NodeOp::kNeg && Is(TokenKind::kInt) && token_.magnitude > kMaxMagnitude) {
    Leave();
    node.op = NodeOp::kInt;
    node.integer = std::numeric_limits<std::int64_t>::min();
    Advance();
    return Make(node, {}, 1);
  }
  const MaybeParsed operand = Prefix(token, op, tighter);
  Leave();
  if (!operand) return std::nullopt;
  return Make(node, std::span(&operand->node, 1), operand->depth + 1);
}

MaybeParsed TextParser::Comparison() {
  MaybeParsed left = Sum();
  if (!left) return std::nullopt;
  AstNode node;
  node.op = ComparisonOp(token_.kind);
  node.place = token_.place;
  if (IsWord("in")) {
    left = In(*left);
  } else if (node.op != NodeOp::kBroken) {
    Advance();
    const MaybeParsed right = Sum();
    if (!right) return std::nullopt;
    const NodeIndex children[] = {left->node, right->node};
    left = Make(node, children, std::max(left->depth, right->depth) + 1);
  } else {
    return left;
  }
  if (left && (IsWord("in") || ComparisonOp(token_.kind) != NodeOp::kBroken)) {
    return Fail(token_.place, "comparisons do not chain; join two of them with \"&&\"");
  }
  return left;
}

MaybeParsed TextParser::In(Parsed operand) {
  AstNode node;
  node.op = NodeOp::kIn;
  node.place = token_.place;
  Advance();
  if (!Expect(TokenKind::kOpenList, "\"[\" and a list of literals")) return std::nullopt;
  std::vector<ListItem> list;
  if (!Is(TokenKind::kCloseList)) {
    do {
      if (!list.empty()) Advance();
      if (!Item(list)) return std::nullopt;
    } while (Is(TokenKind::kComma));
  }
  if (!Expect(TokenKind::kCloseList, "\",\" or \"]\"")) return std::nullopt;
  node.list = ast_.AddList(std::move(list));
  return Make(node, std::span(&operand.node, 1), operand.depth + 1);
}

bool TextParser::Item(std::vector<ListItem>& list) {
  ListItem item;
  item.place = token_.place;
  const bool minus = Is(TokenKind::kMinus);
  if (minus) Advance();
  if (Is(TokenKind::kInt)) {
    if (token_.magnitude > kMaxMagnitude && !minus) {
      return Fail(token_.place, "the integer does not fit 64 bits").has_value();
    }
    // In unsigned arithmetic: the negative of 2^63 is in range, 2^63 is not.
    const std::uint64_t bits = minus ? std::uint64_t{0} - token_.magnitude : token_.magnitude;
    item.value = static_cast<std::int64_t>(bits);
  } else if (Is(TokenKind::kFloat)) {
    item.value = minus ? -token_.number : token_.number;
  } else if (minus) {
    return Unexpected("a number").has_value();
  } else if (Is(TokenKind::kString)) {
    item.value = std::move(token_.text);
  } else if (IsWord("true") || IsWord("false")) {
    item.value = IsWord("true");
  } else if (!IsWord("null")) {
    return Unexpected("a literal").has_value();
  }
  list.push_back(std::move(item));
  Advance();
  return true;
}

MaybeParsed TextParser::Primary() {
  AstNode node;
  node.place = token_.place;
  switch (token_.kind) {
    case TokenKind::kOpen:
      return Parenthesised();
    case TokenKind::kName:
      return NameOrCall();
    case TokenKind::kQualified:
      return Qualified();
    case TokenKind::kInt:
      if (token_.magnitude > kMaxMagnitude) {
        return Fail(token_.place, "the integer does not fit 64 bits");
      }
      node.op = NodeOp::kInt;
      node.integer = static_cast<std::int64_t>(token_.magnitude);
      break;
    case TokenKind::kFloat:
      node.op = NodeOp::kFloat;
      node.number = token_.number;
      break;
    case TokenKind::kString:
      node.op = NodeOp::kString;
      node.text = ast_.AddString(token_.text);
      break;
    default:
      return Unexpected("a value");
  }
  Advance();
  return Make(node, {}, 1);
}

MaybeParsed TextParser::Parenthesised() {
  if (!Enter()) return std::nullopt;
  Advance();
  const MaybeParsed inner = Or();
  Leave();
  if (!inner || !Expect(TokenKind::kClose, "an operator or \")\"")) return std::nullopt;
  return inner;
}

MaybeParsed TextParser::NameOrCall() {
  const Token name = token_;
  AstNode node;
  node.place = name.place;
  if (name.source == "true" || name.source == "false") {
    node.op = NodeOp::kBool;
    node.boolean = name.source == "true";
  } else if (name.source == "null") {
    node.op = NodeOp::kNull;
  } else if (name.source == "in") {
    return Unexpected("a value");
  } else {
    Advance();
    if (Is(TokenKind::kOpen)) return Call(name);
    node.op = NodeOp::kKey;
    node.text = ast_.AddString(name.source);
    return Make(node, {}, 1);
  }
  Advance();
  return Make(node, {}, 1);
}

MaybeParsed TextParser::Call(const Token& name) {
  if (!Enter()) return std::nullopt;
  Advance();
  std::vector<NodeIndex> arguments;
  std::size_t depth = 0;
  if (!Is(TokenKind::kClose)) {
    do {
      if (!arguments.empty()) Advance();
      const MaybeParsed argument = Or();
      if (!argument) return std::nullopt;
      arguments.push_back(argument->node);
      depth = std::max(depth, argument->depth);
    } while (Is(TokenKind::kComma));
  }
  Leave();
  if (!Expect(TokenKind::kClose, "\",\" or \")\"")) return std::nullopt;
  AstNode node;
  node.place = name.place;
  if (const FunctionSpec* spec = FindFunction(name.source)) {
    node.op = NodeOp::kCall;
    node.function = spec->function;
  } else {
    diagnostics_.Report(name.place, UnknownFunction(name.source));
  }
  return Make(node, arguments, depth + 1);
}

MaybeParsed TextParser::Qualified() {
  const std::size_t dot = token_.source.find('.');
  const std::string_view space = token_.source.substr(0, dot);
  AstNode node;
  node.place = token_.place;
  node.text = ast_.AddString(token_.source.substr(dot + 1));
  if (space == "P") {
    node.op = NodeOp::kParam;
  } else if (space == "L") {
    node.op = NodeOp::kLoopVariable;
  } else if (space == "E") {
    node.op = NodeOp::kErrorField;
  } else {
    diagnostics_.Report(token_.place, "unknown name " + Quoted(token_.source) +
                                          "; there are P.param, L.loop_variable and E.code, "
                                          "E.message, E.node");
  }
  Advance();
  return Make(node, {}, 1);
}

}  // namespace

std::optional<Ast> ParseText(std::string_view text, Diagnostics& diagnostics) {
  if (text.size() > std::numeric_limits<SourcePlace>::max()) {
    diagnostics.Report(0, "the expression is too long");
    return std::nullopt;
  }
  if (!IsValidUtf8(text)) {
    diagnostics.Report(0, "the expression is not valid UTF-8");
    return std::nullopt;
  }
  Ast ast;
  if (!TextParser(text, ast, diagnostics).Parse()) return std::nullopt;
  return ast;
}

}  // namespace rankd
