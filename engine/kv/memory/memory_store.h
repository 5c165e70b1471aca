// The embedded store's data: read once from JSON, immutable, shared by clients on all loops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/flat_map.h"
#include "engine/base/string_index.h"
#include "engine/kv/byte_arena.h"
#include "engine/kv/command.h"
#include "engine/kv/reply.h"

namespace rankd {

/// Keys with hashes, lists and strings, as Redis holds them: all text. Elements lie as finished
/// reply nodes, so that an answer points to them, or copies those that share the store's bytes.
class MemoryStore {
 public:
  MemoryStore() = default;
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// `{ "user:1": {"country":"US"}, "follow:1": [1,2,3], "name": "x" }`: an object is a hash, an
  /// array a list, a string a string. Elements are strings, numbers (ints in digits, floats as
  /// AppendFloat writes them) or bools ("true", "false"). Empty ones do not exist, as in Redis.
  /// Otherwise nullptr, with every problem appended: invalid_plan, with a JSON pointer.
  static std::shared_ptr<const MemoryStore> FromJson(std::string text,
                                                     std::vector<Error>& problems);

  std::size_t key_count() const { return entries_.size(); }

 private:
  friend class MemoryAnswer;
  friend class StoreReader;
  friend bool ReadStore(MemoryStore& store);
  friend void AppendLoadCommands(const MemoryStore& store, std::string& out);

  /// Hashes with more fields than this are searched by bisection.
  static constexpr std::size_t kManyFields = 12;

  enum class Type : std::uint8_t { kHash, kList, kString };
  struct Entry {
    std::string_view key;
    Type type = Type::kString;
    bool sorted = false;           ///< Of hashes with many fields.
    std::uint32_t first_node = 0;  ///< Of its elements: field, value, field, value… for a hash.
    std::uint32_t node_count = 0;
    std::uint32_t first_sorted = 0;  ///< In sorted_fields_, where `sorted`.
  };

  const Entry* Find(std::string_view key) const;
  /// Of the entries whose keys SplitKey splits with this prefix, by the number; nullptr where there
  /// are none.
  const FlatMap* NumbersOf(std::string_view prefix) const;
  const Entry* FindNumber(const FlatMap* numbers, std::int64_t number) const {
    if (numbers == nullptr) return nullptr;
    return EntryOf(numbers->Find(static_cast<std::uint64_t>(number)));
  }
  /// nullptr for none, and for an empty hash or list: it does not exist, though its name is taken.
  const Entry* EntryOf(std::uint32_t entry) const {
    const bool none = entry == FlatMap::kNone || entries_[entry].node_count == 0;
    return none ? nullptr : &entries_[entry];
  }
  /// The value of a field, or nullptr. `likely`: where to look first, an offset from the first
  /// node; where it was found.
  const ReplyNode* FindField(const Entry& hash, std::string_view field,
                             std::uint32_t& likely) const;

  std::string text_;  ///< The file's. What stands in it as Redis would hold it is not copied.
  ByteArena arena_;   ///< What does not.
  std::vector<ReplyNode> nodes_;
  std::vector<std::uint32_t> sorted_fields_;  ///< Nodes of fields, by name, per large hash.
  std::vector<Entry> entries_;                ///< In the file's order, empty ones included.
  struct Numbered {
    std::string_view prefix;
    FlatMap entry_of;  ///< By the number.
  };
  std::vector<Numbered> numbered_;  ///< Of the entries whose keys SplitKey splits.
  StringIndex by_prefix_;           ///< Of numbered_.
  StringIndex by_key_;              ///< Of the other entries.
};

/// The replies Redis would give, errors included. They share the bytes of `store`.
Replies AnswerFromStore(const std::shared_ptr<const MemoryStore>& store,
                        const CommandBatch& commands);

/// Appends the data as RESP commands for `redis-cli --pipe`, in the file's order. Hashes and lists
/// are deleted first, whatever stands there, so that their keys hold what the file says and nothing
/// else; the server's other keys are not touched.
void AppendLoadCommands(const MemoryStore& store, std::string& out);

}  // namespace rankd
