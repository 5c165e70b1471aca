#include "engine/base/string_index.h"

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

TEST_CASE("a string index finds what was put in, whatever its length") {
  std::vector<std::string> texts;
  const auto text_of = [&](std::uint32_t number) { return std::string_view(texts[number]); };
  StringIndex index;
  CHECK(index.Find("x", text_of) == StringIndex::kNone);
  std::unordered_map<std::string, std::uint32_t> reference;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    // Few letters, so that many are repeated or differ in one place only.
    std::string text(random() % 40, 'a');
    for (char& c : text) c = "ab\0\xff"[random() % 4];
    const auto number = static_cast<std::uint32_t>(texts.size());
    const auto [known, is_new] = reference.emplace(text, number);
    texts.push_back(text);
    const auto found = index.FindOrInsert(text, number, text_of);
    REQUIRE(found == std::pair(known->second, is_new));
    if (!is_new) texts.pop_back();
  }
  CHECK(index.size() == reference.size());
  for (const auto& [text, number] : reference) REQUIRE(index.Find(text, text_of) == number);
  CHECK(index.Find("c", text_of) == StringIndex::kNone);
}

TEST_CASE("hashes of texts that are alike differ") {
  std::unordered_map<std::uint64_t, std::string> seen;
  for (int i = 0; i < 200'000; ++i) {
    const std::string text = "user:" + std::to_string(i);
    const auto [other, is_new] = seen.emplace(HashText(text), text);
    REQUIRE(is_new);
  }
  // Neither an ending nor a zero byte is overlooked.
  for (std::size_t size = 0; size < 40; ++size) {
    CHECK(HashText(std::string(size, '\0')) != HashText(std::string(size + 1, '\0')));
    std::string text(size + 1, 'a');
    const std::uint64_t hash = HashText(text);
    text.back() = 'b';
    CHECK(HashText(text) != hash);
  }
}

}  // namespace
}  // namespace rankd
