#include "engine/kv/key_pattern.h"

#include <cstdint>
#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace rankd {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

/// "PREFIX|NUMBER", or "" where nothing is split off.
std::string Split(std::string_view key) {
  const std::optional<SplitNumber> split = SplitKey(key);
  return split ? std::string(split->prefix) + "|" + std::to_string(split->number) : "";
}

TEST_CASE("a pattern makes the key of a number, and knows its size") {
  const KeyPattern pattern("user:", ":x");
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{-7}, std::int64_t{10}, std::int64_t{99'999},
        std::int64_t{100'000}, std::int64_t{-100'000}, kMostSplit, kLowest, kHighest}) {
    CAPTURE(number);
    const std::string key = "user:" + std::to_string(number) + ":x";
    CHECK(pattern.For(number) == key);
    CHECK(pattern.SizeFor(number) == key.size());
  }
}

TEST_CASE("a key is split at the number it ends in, as it would be written") {
  CHECK(Split("user:7") == "user:|7");
  CHECK(Split("user:-7") == "user:|-7");
  CHECK(Split("user:0") == "user:|0");
  CHECK(Split("12") == "|12");
  CHECK(Split("-3") == "|-3");
  CHECK(Split("v2:10") == "v2:|10");
  CHECK(Split("a--1") == "a-|-1");
  CHECK(Split("a:999999999999999999") == "a:|999999999999999999");
  for (const char* key : {"", "user:", "user", "-", "user:007", "user:00", "user:-0", "user:7:x",
                          "a:1000000000000000000", "a:9223372036854775807"}) {
    CAPTURE(key);
    CHECK(Split(key) == "");
  }
}

TEST_CASE("what a pattern that splits makes is split into its prefix and the number") {
  for (const char* prefix : {"user:", "", "v2:", "a b", "\xc3\xa9"}) {
    const KeyPattern pattern(prefix, "");
    CHECK(pattern.splits());
    for (const std::int64_t number :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{42}, kMostSplit, -kMostSplit}) {
      CHECK(Split(pattern.For(number)) == prefix + ("|" + std::to_string(number)));
    }
    for (const std::int64_t number : {kMostSplit + 1, -kMostSplit - 1, kLowest, kHighest}) {
      CHECK(Split(pattern.For(number)) == "");
    }
  }
  CHECK_FALSE(KeyPattern("user:", ":x").splits());
  CHECK_FALSE(KeyPattern("v2", "").splits());
  CHECK_FALSE(KeyPattern("user-", "").splits());
}

}  // namespace
}  // namespace rankd
