// What both notations are parsed into: a tree as a flat vector, children before their parent, the
// root last, so that every later pass is a loop. Built by one parser, annotated by Typecheck.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/data/value.h"
#include "engine/expr/diagnostics.h"
#include "engine/expr/functions.h"

namespace rankd {

using NodeIndex = std::uint32_t;

enum class NodeOp : std::uint8_t {
  kBroken,  ///< Something was wrong here and has been reported.
  kNull,
  kInt,
  kFloat,
  kBool,
  kString,
  kKey,
  kParam,
  kLoopVariable,
  kErrorField,
  kNeg,
  kNot,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kIn,
  kCall,
};

constexpr bool IsComparison(NodeOp op) { return op >= NodeOp::kEq && op <= NodeOp::kGe; }
constexpr bool IsArithmetic(NodeOp op) { return op >= NodeOp::kAdd && op <= NodeOp::kMod; }

/// The type of a node. kUnknown: a problem was reported below; fits anything, so that one problem
/// is told once. kNull: the literal null or what can be nothing else; fits anything.
enum class StaticType : std::uint8_t { kUnknown, kNull, kInt, kFloat, kBool, kString };

constexpr StaticType StaticTypeOf(ValueType type) {
  return static_cast<StaticType>(static_cast<std::uint8_t>(type) + 2);
}
/// `type` must be one of the four.
constexpr ValueType ValueTypeOf(StaticType type) {
  return static_cast<ValueType>(static_cast<std::uint8_t>(type) - 2);
}
static_assert(ValueTypeOf(StaticType::kString) == ValueType::kString);

struct AstNode {
  NodeOp op = NodeOp::kBroken;
  Function function{};                     ///< kCall
  bool by_registry_id = false;             ///< kKey, kParam: named by `integer`, not by `text`.
  bool boolean = false;                    ///< kBool
  StaticType type = StaticType::kUnknown;  ///< Set by Typecheck.
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  SourcePlace place = 0;
  std::uint32_t text = 0;  ///< Number of a string of the Ast: a name or a string literal.
  std::uint32_t list = 0;  ///< kIn: number of a list of the Ast.
  std::uint32_t slot = 0;  ///< Set by Typecheck: KeyId, ParamId, number of the loop variable, …
  std::int64_t integer = 0;
  double number = 0;
};

/// A literal in the list of `in`.
struct ListItem {
  Value value;
  SourcePlace place = 0;
};

class Ast {
 public:
  NodeIndex Add(AstNode node, std::span<const NodeIndex> children = {}) {
    node.first_child = static_cast<std::uint32_t>(children_.size());
    node.child_count = static_cast<std::uint32_t>(children.size());
    children_.insert(children_.end(), children.begin(), children.end());
    nodes_.push_back(node);
    return static_cast<NodeIndex>(nodes_.size() - 1);
  }
  std::uint32_t AddString(std::string_view text) {
    strings_.emplace_back(text);
    return static_cast<std::uint32_t>(strings_.size() - 1);
  }
  std::uint32_t AddList(std::vector<ListItem> list) {
    lists_.push_back(std::move(list));
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }

  std::size_t size() const { return nodes_.size(); }
  NodeIndex root() const { return static_cast<NodeIndex>(nodes_.size() - 1); }
  AstNode& at(NodeIndex i) { return nodes_[i]; }
  const AstNode& at(NodeIndex i) const { return nodes_[i]; }
  std::span<const NodeIndex> children(const AstNode& node) const {
    return std::span(children_).subspan(node.first_child, node.child_count);
  }
  std::span<const NodeIndex> children(NodeIndex i) const { return children(nodes_[i]); }
  const AstNode& child(const AstNode& node, std::size_t which) const {
    return nodes_[children_[node.first_child + which]];
  }
  const std::string& string(const AstNode& node) const { return strings_[node.text]; }
  std::span<const ListItem> list(const AstNode& node) const { return lists_[node.list]; }

 private:
  std::vector<AstNode> nodes_;
  std::vector<NodeIndex> children_;
  std::vector<std::string> strings_;
  std::vector<std::vector<ListItem>> lists_;
};

}  // namespace rankd
