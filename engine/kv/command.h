// The commands of one node, as one pipeline: keys side by side in one buffer. What the commands
// have in common, their verb and further arguments, is held once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankd {

/// What the built-in tasks ask a store. Each is the Redis command of that name.
enum class Verb : std::uint8_t { kHGetAll, kHMGet, kLRange };
inline constexpr std::size_t kVerbCount = 3;

/// "HGETALL", …
std::string_view VerbName(Verb verb);

/// The fields that HMGETs ask for; made once, for all requests. Immutable, any thread.
class HashFieldNames {
 public:
  explicit HashFieldNames(std::vector<std::string> names);

  std::span<const std::string> names() const { return names_; }
  std::size_t size() const { return names_.size(); }
  /// As arguments in RESP.
  std::string_view resp() const { return resp_; }

 private:
  std::vector<std::string> names_;
  std::string resp_;
};

struct ListRange {
  std::int64_t start = 0;
  std::int64_t stop = -1;

  bool operator==(const ListRange&) const = default;
};

/// An ordered batch of commands. Reusable: Clear() keeps the memory.
class CommandBatch {
 public:
  /// Commands that follow each other and differ in their keys only.
  struct Stretch {
    Verb verb;
    const HashFieldNames* fields;  ///< Of kHMGet, else nullptr.
    ListRange range;               ///< Of kLRange.
    std::size_t first;             ///< The first command.
    std::size_t end;               ///< Behind the last.
  };

  CommandBatch() = default;
  CommandBatch(CommandBatch&& other) noexcept
      : keys_(std::move(other.keys_)),
        key_bytes_(std::exchange(other.key_bytes_, 0)),
        key_capacity_(std::exchange(other.key_capacity_, 0)),
        key_ends_(std::move(other.key_ends_)),
        stretches_(std::move(other.stretches_)) {}

  void HGetAll(std::string_view key) { Add({Verb::kHGetAll, nullptr, {}, 0, 0}, key); }
  /// `fields` must outlive the batch.
  void HMGet(std::string_view key, const HashFieldNames& fields) {
    Add({Verb::kHMGet, &fields, {}, 0, 0}, key);
  }
  /// Both ends included, -1 is the last.
  void LRange(std::string_view key, std::int64_t start, std::int64_t stop) {
    Add({Verb::kLRange, nullptr, {start, stop}, 0, 0}, key);
  }
  /// One HMGET for each of many keys: `write(i, char* out)` writes key `i` of `count`, of at most
  /// `most_bytes`, and gives its end. No copy, one check of the room for all of some keys.
  template <typename Write>
  void HMGetEach(std::size_t count, std::size_t most_bytes, const HashFieldNames& fields,
                 Write&& write) {
    if (count == 0) return;
    const Stretch stretch{Verb::kHMGet, &fields, {}, size(), size() + count};
    key_ends_.reserve(size() + count);
    for (std::size_t i = 0; i < count; ++i) {
      if (key_capacity_ - key_bytes_ < most_bytes) MakeRoom(most_bytes);
      char* const end = write(i, keys_.get() + key_bytes_);
      key_bytes_ = static_cast<std::size_t>(end - keys_.get());
      key_ends_.push_back(key_bytes_);
    }
    AddStretch(stretch);
  }

  void Clear();

  std::size_t size() const { return key_ends_.size(); }
  bool empty() const { return key_ends_.empty(); }
  /// All commands, in order. Few: as many as a task has kinds of questions.
  std::span<const Stretch> stretches() const { return stretches_; }
  Verb verb(std::size_t command) const;
  std::string_view key(std::size_t command) const {
    const std::size_t begin = command == 0 ? 0 : key_ends_[command - 1];
    return {keys_.get() + begin, key_ends_[command] - begin};
  }

  /// Bytes it is on the wire, as RESP. O(commands).
  std::size_t RespBytes() const;
  /// Appends it as RESP.
  void AppendResp(std::string& out) const;

 private:
  void Add(const Stretch& command, std::string_view key);
  /// Behind the others, or as part of the last of them.
  void AddStretch(const Stretch& stretch);
  void MakeRoom(std::size_t bytes);

  std::unique_ptr<char[]> keys_;
  std::size_t key_bytes_ = 0;
  std::size_t key_capacity_ = 0;
  std::vector<std::size_t> key_ends_;  ///< Of each command, in keys_.
  std::vector<Stretch> stretches_;
};

}  // namespace rankd
