// The commands of one node, as one pipeline: arguments side by side in one buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankd {

/// What the built-in tasks ask a store. Each is the Redis command of that name.
enum class Verb : std::uint8_t { kHGetAll, kHMGet, kLRange };
inline constexpr std::size_t kVerbCount = 3;

/// "HGETALL", …
std::string_view VerbName(Verb verb);

/// An ordered batch of commands. Reusable: Clear() keeps the memory.
class CommandBatch {
 public:
  void HGetAll(std::string_view key);
  void HMGet(std::string_view key, std::span<const std::string> fields);
  /// LRANGE key start stop; both ends included, -1 is the last.
  void LRange(std::string_view key, std::int64_t start, std::int64_t stop);
  void Clear();

  std::size_t size() const { return commands_.size(); }
  bool empty() const { return commands_.empty(); }

  Verb verb(std::size_t command) const { return commands_[command].verb; }
  /// The arguments after the verb; 0 is the key.
  std::size_t argument_count(std::size_t command) const;
  std::string_view argument(std::size_t command, std::size_t i) const;
  std::string_view key(std::size_t command) const { return argument(command, 0); }
  /// Bytes of all arguments.
  std::size_t argument_bytes() const { return bytes_.size(); }

 private:
  struct Command {
    Verb verb;
    std::uint32_t first_argument;
  };
  void Begin(Verb verb);
  void Argument(std::string_view text);

  std::string bytes_;
  std::vector<std::size_t> ends_;  ///< Of each argument, in bytes_.
  std::vector<Command> commands_;
};

}  // namespace rankd
