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
    if (stretch.verb == Verb::kHMGet) likely_.assign(stretch.fields->size(), 0);
    for (std::size_t command = stretch.first; command < stretch.end; ++command) {
      replies_.BeginRoot();
      const MemoryStore::Entry* entry = store_.Find(commands_.key(command));
      switch (stretch.verb) {
        case Verb::kHGetAll:
          HGetAll(entry);
          break;
        case Verb::kHMGet:
          HMGet(entry, stretch.fields->names());
          break;
        case Verb::kLRange:
          LRange(entry, stretch.range);
          break;
      }
    }
  }

 private:
  using Type = MemoryStore::Type;

  void HGetAll(const MemoryStore::Entry* entry) {
    if (entry == nullptr) return Array(0);
    if (entry->type != Type::kHash) return WrongType();
    Array(entry->node_count);
    Copy(entry->first_node, entry->node_count);
  }

  void HMGet(const MemoryStore::Entry* entry, std::span<const std::string> fields) {
    if (fields.empty()) return ErrorReply("ERR wrong number of arguments for 'hmget' command");
    if (entry != nullptr && entry->type != Type::kHash) return WrongType();
    Array(static_cast<std::uint32_t>(fields.size()));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const ReplyNode* value =
          entry == nullptr ? nullptr : store_.FindField(*entry, fields[i], likely_[i]);
      nodes_.push_back(value == nullptr ? ReplyNode() : *value);
    }
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
    Array(count);
    Copy(entry->first_node + static_cast<std::uint32_t>(start), count);
  }

  /// An array of `size` plain elements, which the caller appends.
  void Array(std::uint32_t size) {
    ReplyNode node;
    node.kind = ReplyKind::kArray;
    node.size = size;
    node.span = size + 1;
    nodes_.push_back(node);
  }
  void Copy(std::uint32_t first, std::uint32_t count) {
    const auto begin = store_.nodes_.begin() + first;
    nodes_.insert(nodes_.end(), begin, begin + count);
  }
  void ErrorReply(std::string_view literal) {
    ReplyNode node;
    node.kind = ReplyKind::kError;
    node.size = static_cast<std::uint32_t>(literal.size());
    node.data = literal.data();
    nodes_.push_back(node);
  }
  void WrongType() {
    ErrorReply("WRONGTYPE Operation against a key holding the wrong kind of value");
  }

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
  std::size_t nodes = 0;
  for (const CommandBatch::Stretch& stretch : commands.stretches()) {
    const std::size_t fields = stretch.fields == nullptr ? 0 : stretch.fields->size();
    nodes += (stretch.end - stretch.first) * (1 + fields);
  }
  replies.Reserve(commands.size(), nodes);
  for (const CommandBatch::Stretch& stretch : commands.stretches()) answer.Append(stretch);
  return replies;
}

}  // namespace rankd
