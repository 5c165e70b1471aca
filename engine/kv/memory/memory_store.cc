#include "engine/kv/memory/memory_store.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/kv/key_pattern.h"
#include "engine/kv/memory/store_problems.h"
#include "engine/kv/memory/store_reader.h"

namespace rankd {

std::shared_ptr<const MemoryStore> MemoryStore::FromJson(std::string text,
                                                         std::vector<Error>& problems) {
  auto store = std::make_shared<MemoryStore>();
  store->text_ = std::move(text);
  if (ReadStore(*store)) return store;
  FindStoreProblems(store->text_, problems);
  return nullptr;
}

const MemoryStore::Entry* MemoryStore::Find(std::string_view key) const {
  if (const std::optional<SplitNumber> split = SplitKey(key)) {
    return FindNumber(NumbersOf(split->prefix), split->number);
  }
  static_assert(StringIndex::kNone == FlatMap::kNone);
  return EntryOf(by_key_.Find(key, [this](std::uint32_t known) { return entries_[known].key; }));
}

const FlatMap* MemoryStore::NumbersOf(std::string_view prefix) const {
  const std::uint32_t found =
      by_prefix_.Find(prefix, [this](std::uint32_t known) { return numbered_[known].prefix; });
  return found == StringIndex::kNone ? nullptr : &numbered_[found].entry_of;
}

const ReplyNode* MemoryStore::FindField(const Entry& hash, std::string_view field,
                                        std::uint32_t& likely) const {
  const ReplyNode* nodes = nodes_.data() + hash.first_node;
  if (likely < hash.node_count && nodes[likely].text() == field) return &nodes[likely + 1];
  if (hash.sorted) {
    const std::span<const std::uint32_t> order(sorted_fields_.data() + hash.first_sorted,
                                               hash.node_count / 2);
    const auto found = std::ranges::lower_bound(
        order, field, {}, [this](std::uint32_t node) { return nodes_[node].text(); });
    const bool there = found != order.end() && nodes_[*found].text() == field;
    return there ? &nodes_[*found + 1] : nullptr;
  }
  for (std::uint32_t i = 0; i < hash.node_count; i += 2) {
    if (nodes[i].text() != field) continue;
    likely = i;
    return &nodes[i + 1];
  }
  return nullptr;
}

}  // namespace rankd
