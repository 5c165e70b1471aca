#include "engine/expr/partition.h"

#include "engine/expr/typecheck.h"

namespace rankd {
namespace {

/// What a subtree reads of the row: nothing, one string key, or more than that.
constexpr std::int64_t kNothing = -1;
constexpr std::int64_t kMore = -2;

std::int64_t Join(std::int64_t a, std::int64_t b) {
  if (a == kNothing) return b;
  return b == kNothing || a == b ? a : kMore;
}

/// Asks only whether a key is null, for which no dictionary is needed.
bool AsksOnlyForNullOfKey(const Ast& ast, const AstNode& node) {
  const bool call = node.op == NodeOp::kCall &&
                    (node.function == Function::kIsNull || node.function == Function::kNotNull);
  if (!call && !IsNullTest(ast, node)) return false;
  for (const NodeIndex child : ast.children(node)) {
    if (ast.at(child).op == NodeOp::kKey) return true;
  }
  return false;
}

std::vector<std::int64_t> ReadsOf(const Ast& ast) {
  std::vector<std::int64_t> reads(ast.size(), kNothing);
  for (NodeIndex i = 0; i < ast.size(); ++i) {
    const AstNode& node = ast.at(i);
    if (node.op == NodeOp::kKey) {
      reads[i] = node.type == StaticType::kString ? std::int64_t{node.slot} : kMore;
    } else if ((node.op == NodeOp::kCall && IsAggregate(node.function)) ||
               AsksOnlyForNullOfKey(ast, node)) {
      reads[i] = kMore;
    } else {
      for (const NodeIndex child : ast.children(i)) reads[i] = Join(reads[i], reads[child]);
    }
  }
  return reads;
}

}  // namespace

Partition PartitionOf(const Ast& ast) {
  const std::vector<std::int64_t> reads = ReadsOf(ast);
  Partition out;
  out.parts.resize(2);
  out.part_of_node.assign(ast.size(), Partition::kMain);
  out.lookup_root.assign(ast.size(), false);
  const auto place = [&](NodeIndex node, std::uint32_t outer, bool outer_reads_more) {
    const bool lookup = outer_reads_more && reads[node] >= 0 && ast.at(node).op != NodeOp::kKey;
    out.lookup_root[node] = lookup;
    if (!lookup) {
      out.part_of_node[node] = outer;
      return;
    }
    out.part_of_node[node] = static_cast<std::uint32_t>(out.parts.size());
    out.parts.push_back(Partition::Part{KeyId{static_cast<std::uint32_t>(reads[node])}, outer});
  };
  place(ast.root(), Partition::kMain, true);
  for (NodeIndex i = static_cast<NodeIndex>(ast.size()); i-- > 0;) {
    const AstNode& node = ast.at(i);
    const bool aggregate = node.op == NodeOp::kCall && IsAggregate(node.function);
    const std::uint32_t part = aggregate ? Partition::kInner : out.part_of_node[i];
    for (const NodeIndex child : ast.children(i)) place(child, part, reads[i] == kMore);
  }
  return out;
}

}  // namespace rankd
