// What Redis would answer: the commands of a pipeline, read from a MemoryStore.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kv/memory/memory_store.h"

namespace rankd {

class MemoryAnswer {
 public:
  MemoryAnswer(const MemoryStore& store, const CommandBatch& commands, Replies& replies)
      : store_(store), commands_(commands), replies_(replies), nodes_(replies.nodes()) {}

  void Append(const CommandBatch::Stretch& stretch) {
    if (stretch.verb == Verb::kHMGet) return HMGets(stretch);
    for (std::size_t command = stretch.first; command < stretch.end; ++command) {
      replies_.BeginRoot();
      const MemoryStore::Entry* entry = store_.Find(commands_.TextKey(stretch, command));
      switch (stretch.verb) {
        case Verb::kHGetAll:
          HGetAll(entry);
          break;
        case Verb::kLRange:
          LRange(entry, stretch.range);
          break;
        case Verb::kHMGet:
          break;
      }
    }
  }

 private:
  using Type = MemoryStore::Type;

  void HGetAll(const MemoryStore::Entry* entry) {
    if (entry == nullptr) return Array(0);
    if (entry->type != Type::kHash) return WrongType();
    Share(entry->first_node, entry->node_count);
  }

  void HMGets(const CommandBatch::Stretch& stretch) {
    if (stretch.fields->size() == 0) {
      for (std::size_t command = stretch.first; command < stretch.end; ++command) {
        replies_.BeginRoot();
        nodes_.push_back(ErrorNode("ERR wrong number of arguments for 'hmget' command"));
      }
    } else if (stretch.pattern == nullptr) {
      HMGetEach(stretch, [&](std::size_t command) {
        return store_.Find(commands_.TextKey(stretch, command));
      });
    } else {
      HMGetByNumber(stretch);
    }
  }

  void HMGetByNumber(const CommandBatch::Stretch& stretch) {
    const KeyPattern& pattern = *stretch.pattern;
    const std::int64_t* const numbers = stretch.numbers - stretch.first;
    if (!pattern.splits()) {
      return HMGetEach(
          stretch, [&](std::size_t command) { return store_.Find(pattern.For(numbers[command])); });
    }
    const FlatMap* entry_of = store_.NumbersOf(pattern.prefix());
    HMGetEach(stretch, [this, &pattern, entry_of, numbers](std::size_t command) {
      const std::int64_t number = numbers[command];
      const bool splits = number >= -kMostSplit && number <= kMostSplit;
      return splits ? store_.FindNumber(entry_of, number) : store_.Find(pattern.For(number));
    });
  }

  /// Most of what a request of many rows asks: nodes are written where they belong, not appended
  /// one by one.
  template <typename EntryOf>
  void HMGetEach(const CommandBatch::Stretch& stretch, EntryOf entry_of) {
    const std::span<const std::string> fields = stretch.fields->names();
    likely_.assign(fields.size(), 0);
    const std::size_t before = nodes_.size();
    const std::size_t end = stretch.end;
    nodes_.resize(before + (end - stretch.first) * (1 + fields.size()));
    ReplyNode* const nodes = nodes_.data();
    ReplyNode* at = nodes + before;
    std::uint32_t* root = replies_.BeginRoots(end - stretch.first);
    for (std::size_t command = stretch.first; command < end; ++command) {
      *root++ = static_cast<std::uint32_t>(at - nodes);
      const MemoryStore::Entry* entry = entry_of(command);
      if (entry == nullptr) {
        *at = ArrayNode(static_cast<std::uint32_t>(fields.size()));
        at += 1 + fields.size();  // nils, as they are
      } else if (entry->type != Type::kHash) {
        *at++ = ErrorNode(kWrongType);
      } else {
        *at++ = ArrayNode(static_cast<std::uint32_t>(fields.size()));
        for (std::size_t i = 0; i < fields.size(); ++i, ++at) {
          const ReplyNode* value = store_.FindField(*entry, fields[i], likely_[i]);
          if (value != nullptr) *at = *value;
        }
      }
    }
    nodes_.resize(static_cast<std::size_t>(at - nodes));
  }

  void LRange(const MemoryStore::Entry* entry, ListRange range) {
    if (entry == nullptr) return Array(0);
    if (entry->type != Type::kList) return WrongType();
    const std::int64_t length = entry->node_count;
    const std::int64_t start =
        std::max<std::int64_t>(range.start < 0 ? range.start + length : range.start, 0);
    const std::int64_t stop =
        std::min(range.stop < 0 ? range.stop + length : range.stop, length - 1);
    if (start > stop) return Array(0);
    const auto count = static_cast<std::uint32_t>(stop - start + 1);
    Share(entry->first_node + static_cast<std::uint32_t>(start), count);
  }

  /// An array of `size` plain elements, which the caller appends.
  static ReplyNode ArrayNode(std::uint32_t size) { return ReplyNode::Array(size, size + 1); }
  static ReplyNode ErrorNode(std::string_view literal) {
    ReplyNode node;
    node.kind = ReplyKind::kError;
    node.size = static_cast<std::uint32_t>(literal.size());
    node.data = literal.data();
    return node;
  }
  static constexpr std::string_view kWrongType =
      "WRONGTYPE Operation against a key holding the wrong kind of value";

  void Array(std::uint32_t size) { nodes_.push_back(ArrayNode(size)); }
  /// An array of them where they lie: a copy of a long list would keep the loop from its timers.
  void Share(std::uint32_t first, std::uint32_t count) {
    nodes_.push_back(ReplyNode::ArrayOf(std::span(store_.nodes_).subspan(first, count)));
  }
  void WrongType() { nodes_.push_back(ErrorNode(kWrongType)); }

  const MemoryStore& store_;
  const CommandBatch& commands_;
  Replies& replies_;
  std::vector<ReplyNode>& nodes_;
  std::vector<std::uint32_t> likely_;  ///< Where the hash before had each field.
};

Replies AnswerFromStore(const std::shared_ptr<const MemoryStore>& store,
                        const CommandBatch& commands) {
  Replies replies;
  replies.Share(store);
  MemoryAnswer answer(*store, commands, replies);
  replies.Reserve(commands.size());
  for (const CommandBatch::Stretch& stretch : commands.stretches()) answer.Append(stretch);
  return replies;
}

}  // namespace rankd
