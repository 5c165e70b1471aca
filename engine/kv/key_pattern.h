// Keys that differ in one number, "user:1", "user:2": held as the number until somebody needs the
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankd {

/// What stands before the number and behind it. Immutable, any thread.
class KeyPattern {
 public:
  KeyPattern(std::string prefix, std::string suffix)
      : prefix_(std::move(prefix)), suffix_(std::move(suffix)) {}

  const std::string& prefix() const { return prefix_; }
  const std::string& suffix() const { return suffix_; }
  /// The key of `number`, which stands in it with all its digits.
  std::string For(std::int64_t number) const;
  /// Bytes of it.
  std::size_t SizeFor(std::int64_t number) const;
  /// Whether SplitKey(For(n)) is the prefix and n for every n that SplitKey splits off at all.
  bool splits() const;

 private:
  std::string prefix_;
  std::string suffix_;
};

/// A key that ends in a number, taken apart: no other prefix and number make the same key.
struct SplitNumber {
  std::string_view prefix;
  std::int64_t number;
};

/// nullopt where a key ends in no digit, or in no number as it would be written ("user:007"), or in
/// one of more digits than kMostSplit has. A sign is part of the number.
std::optional<SplitNumber> SplitKey(std::string_view key);
/// The largest number that is split off, and less zero the least.
inline constexpr std::int64_t kMostSplit = 999'999'999'999'999'999;

}  // namespace rankd
