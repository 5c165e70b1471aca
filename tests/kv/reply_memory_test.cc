// Replies for which there is no memory. Replaces this program's operator new.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include <doctest/doctest.h>

#include "engine/kv/redis/reply_reader.h"
#include "tests/support/reply_text.h"

namespace {

/// Allocations of at least so many bytes fail.
std::atomic<std::size_t> too_large{static_cast<std::size_t>(-1)};

struct NoMemoryFor {
  explicit NoMemoryFor(std::size_t bytes) { too_large = bytes; }
  ~NoMemoryFor() { too_large = static_cast<std::size_t>(-1); }
};

}  // namespace

void* operator new(std::size_t size) {
  void* memory = size < too_large ? std::malloc(size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// AddressSanitizer's own forms of these would not come by the above.
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace rankd {
namespace {

using Progress = ReplyReader::Progress;

TEST_CASE("a string for which there is no memory is dropped, and the next reply is whole") {
  ReplyReader reader;
  Replies starved;
  reader.Feed("$1000000\r\n" + std::string(1'000'000, 'x') + "\r\n:1\r\n");
  {
    const NoMemoryFor large(1'000'000);
    CHECK(reader.Next(&starved) == Progress::kReply);
  }
  CHECK(reader.starved());
  Replies next;
  CHECK(reader.Next(&next) == Progress::kReply);
  CHECK_FALSE(reader.starved());
  CHECK(ReplyText(next) == "1");
}

TEST_CASE("an array that is starved half-way stays so until its end, whatever the target") {
  ReplyReader reader;
  Replies replies;
  reader.Feed("*3\r\n:1\r\n$300000\r\n" + std::string(300'000, 'x') + "\r\n");
  {
    const NoMemoryFor large(300'000);
    CHECK(reader.Next(&replies) == Progress::kMore);
  }
  CHECK(reader.starved());
  reader.Feed(":3\r\n*1\r\n:4\r\n");
  CHECK(reader.Next(&replies) == Progress::kReply);
  CHECK(reader.starved());
  Replies next;
  CHECK(reader.Next(&next) == Progress::kReply);
  CHECK(ReplyText(next) == "[4]");
}

TEST_CASE("the nodes of an array may be what there is no memory for") {
  ReplyReader reader;
  Replies replies;
  std::string array = "*100000\r\n";
  for (int i = 0; i < 100'000; ++i) array += ":7\r\n";
  reader.Feed(array + "+OK\r\n");
  {
    const NoMemoryFor large(1'000'000);
    CHECK(reader.Next(&replies) == Progress::kReply);
  }
  CHECK(reader.starved());
  Replies next;
  CHECK(reader.Next(&next) == Progress::kReply);
  CHECK(ReplyText(next) == "+OK");
}

}  // namespace
}  // namespace rankd
