// The meaning of expressions, said a second time and as plainly as possible: a tree of its own and
// one recursive function over one row. The engine is compared with it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/value.h"

namespace rankd::test {

struct Tree {
  /// "literal", "null", "key", "param"; an operator as in the text ("neg" for the sign); "in";
  /// else the name of a function.
  std::string op;
  std::vector<Tree> kids;
  Value literal;            ///< "literal"
  std::string name;         ///< "key", "param"
  std::vector<Value> list;  ///< "in"
  /// The type it has; nullopt for what is only null.
  std::optional<ValueType> type;
};

Tree Literal(Value value);
Tree NullLiteral();
Tree Key(std::string name, ValueType type);
Tree Param(std::string name, ValueType type);
/// The type follows from the kids.
Tree Node(std::string op, std::vector<Tree> kids);
Tree In(Tree operand, std::vector<Value> list);

/// Gives the value of a key or a param ("P." before its name).
using Names = std::function<Value(const std::string&)>;

/// The value, of `tree.type`.
Value Reference(const Tree& tree, const Names& names);

/// Text notation with as few parentheses as the grammar allows.
std::string ToText(const Tree& tree);
/// IR notation.
std::string ToIr(const Tree& tree);

}  // namespace rankd::test
