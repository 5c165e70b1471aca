// The commands of one node, as one pipeline: keys side by side in one buffer, or as numbers that a
// pattern makes keys of. What the commands have in common, their verb and further arguments, is
// held once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kv/key_pattern.h"

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
    const HashFieldNames* fields;           ///< Of kHMGet, else nullptr.
    ListRange range;                        ///< Of kLRange.
    std::size_t first = 0;                  ///< The first command.
    std::size_t end = 0;                    ///< Behind the last.
    const KeyPattern* pattern = nullptr;    ///< Of keys that are numbers, else nullptr.
    const std::int64_t* numbers = nullptr;  ///< Those of the commands from `first` to `end`.
    std::size_t first_text = 0;             ///< Of keys that are texts: that of `first`.
  };

  CommandBatch() = default;
  CommandBatch(CommandBatch&& other) noexcept
      : keys_(std::move(other.keys_)),
        key_bytes_(std::exchange(other.key_bytes_, 0)),
        key_capacity_(std::exchange(other.key_capacity_, 0)),
        key_ends_(std::move(other.key_ends_)),
        size_(std::exchange(other.size_, 0)),
        stretches_(std::move(other.stretches_)) {}

  void HGetAll(std::string_view key) { Add({Verb::kHGetAll, nullptr, {}}, key); }
  /// `fields` must outlive the batch.
  void HMGet(std::string_view key, const HashFieldNames& fields) {
    Add({Verb::kHMGet, &fields, {}}, key);
  }
  /// Both ends included, -1 is the last.
  void LRange(std::string_view key, std::int64_t start, std::int64_t stop) {
    Add({Verb::kLRange, nullptr, {start, stop}}, key);
  }
  /// One HMGET for each of many keys. All three must outlive the batch; no text is made here.
  void HMGetEach(std::span<const std::int64_t> numbers, const KeyPattern& pattern,
                 const HashFieldNames& fields);

  void Clear();

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// All commands, in order. Few: as many as a task has kinds of questions.
  std::span<const Stretch> stretches() const { return stretches_; }
  Verb verb(std::size_t command) const;
  std::string key(std::size_t command) const;
  /// The same where it stands, of a stretch of texts.
  std::string_view TextKey(const Stretch& stretch, std::size_t command) const {
    const std::size_t text = stretch.first_text + (command - stretch.first);
    const std::size_t begin = text == 0 ? 0 : key_ends_[text - 1];
    return {keys_.get() + begin, key_ends_[text] - begin};
  }

  /// Bytes it is on the wire, as RESP. O(commands).
  std::size_t RespBytes() const;
  /// Appends it as RESP.
  void AppendResp(std::string& out) const;

 private:
  const Stretch& StretchOf(std::size_t command) const;
  void Add(Stretch command, std::string_view key);
  /// Behind the others, or as part of the last of them.
  void AddStretch(const Stretch& stretch);
  void MakeRoom(std::size_t bytes);

  std::unique_ptr<char[]> keys_;
  std::size_t key_bytes_ = 0;
  std::size_t key_capacity_ = 0;
  std::vector<std::size_t> key_ends_;  ///< Of each key that is a text, in keys_.
  std::size_t size_ = 0;
  std::vector<Stretch> stretches_;
};

}  // namespace rankd
