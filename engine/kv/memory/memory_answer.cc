// What Redis would answer: the commands of a pipeline, read from a MemoryStore.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/number_text.h"
#include "engine/kv/memory/memory_store.h"

namespace rankd {

class MemoryAnswer {
 public:
  MemoryAnswer(const MemoryStore& store, const CommandBatch& commands, Replies& replies)
      : store_(store), commands_(commands), replies_(replies), nodes_(replies.nodes()) {}

  void Append(std::size_t command) {
    replies_.BeginRoot();
    const MemoryStore::Entry* entry = store_.Find(commands_.key(command));
    switch (commands_.verb(command)) {
      case Verb::kHGetAll:
        return HGetAll(entry);
      case Verb::kHMGet:
        return HMGet(entry, command);
      case Verb::kLRange:
        return LRange(entry, command);
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

  void HMGet(const MemoryStore::Entry* entry, std::size_t command) {
    const std::size_t arguments = commands_.argument_count(command);
    if (arguments < 2) return ErrorReply("ERR wrong number of arguments for 'hmget' command");
    if (entry != nullptr && entry->type != Type::kHash) return WrongType();
    Array(static_cast<std::uint32_t>(arguments - 1));
    for (std::size_t i = 1; i < arguments; ++i) {
      const ReplyNode* value =
          entry == nullptr ? nullptr : store_.FindField(*entry, commands_.argument(command, i));
      nodes_.push_back(value == nullptr ? ReplyNode() : *value);
    }
  }

  void LRange(const MemoryStore::Entry* entry, std::size_t command) {
    const std::optional<std::int64_t> from = ParseInt(commands_.argument(command, 1));
    const std::optional<std::int64_t> to = ParseInt(commands_.argument(command, 2));
    if (!from || !to) return ErrorReply("ERR value is not an integer or out of range");
    if (entry == nullptr) return Array(0);
    if (entry->type != Type::kList) return WrongType();
    const std::int64_t length = entry->node_count;
    const std::int64_t start = std::max<std::int64_t>(*from < 0 ? *from + length : *from, 0);
    const std::int64_t stop = std::min(*to < 0 ? *to + length : *to, length - 1);
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
};

Replies AnswerFromStore(const std::shared_ptr<const MemoryStore>& store,
                        const CommandBatch& commands) {
  Replies replies;
  replies.Share(store);
  MemoryAnswer answer(*store, commands, replies);
  for (std::size_t i = 0; i < commands.size(); ++i) answer.Append(i);
  return replies;
}

}  // namespace rankd
