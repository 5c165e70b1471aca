#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/kv/byte_arena.h"
#include "engine/kv/reply.h"

namespace rankd {
namespace {

TEST_CASE("stored bytes stay where they are, whatever their sizes and however often moved") {
  ByteArena arena;
  std::vector<std::pair<std::string, std::string_view>> stored;
  for (const std::size_t size : {0u, 1u, 10u, 1000u, 1024u, 5000u, 70'000u, 300'000u, 3u}) {
    for (int i = 0; i < 5; ++i) {
      std::string text(size, static_cast<char>('a' + i));
      const std::string_view copy = arena.Store(text);
      stored.emplace_back(std::move(text), copy);
    }
  }
  ByteArena moved = std::move(arena);
  ByteArena assigned;
  assigned.Store("gone");
  assigned = std::move(moved);
  for (const auto& [text, copy] : stored) CHECK(text == copy);
}

TEST_CASE("a moved-from arena can be used again") {
  ByteArena arena;
  arena.Store("first");
  const ByteArena moved = std::move(arena);
  CHECK(arena.Store("second") == "second");  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("replies keep a shared owner alive, through moves") {
  auto owner = std::make_shared<int>(1);
  Replies replies;
  replies.Share(owner);
  Replies moved = std::move(replies);
  CHECK(owner.use_count() == 2);
  moved = Replies();
  CHECK(owner.use_count() == 1);
}

}  // namespace
}  // namespace rankd
