#include "engine/kv/redis/reply_reader.h"

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/reply_text.h"

namespace rankd {
namespace {

using namespace std::string_view_literals;
using Progress = ReplyReader::Progress;

/// Feeds `bytes` in pieces; the text of all complete replies, then "!" if the stream broke. Without
/// `keep`, the number of replies.
std::string Read(std::string_view bytes, std::size_t piece, bool keep = true) {
  ReplyReader reader;
  Replies replies;
  std::size_t count = 0;
  std::string text;
  while (!bytes.empty()) {
    const std::string_view now = bytes.substr(0, piece);
    bytes.remove_prefix(now.size());
    reader.Feed(now);
    for (;;) {
      const Progress progress = reader.Next(keep ? &replies : nullptr);
      if (progress == Progress::kMore) break;
      if (progress == Progress::kBroken) return text + "!";
      ++count;
      if (keep) text += ReplyText(replies[count - 1]) + ' ';
    }
  }
  return keep ? text : std::to_string(count);
}

TEST_CASE("every kind of reply is read, however the bytes are cut") {
  constexpr std::string_view kBytes =
      "+OK\r\n-ERR no such thing\r\n:-42\r\n$5\r\nhello\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n"
      "*3\r\n$1\r\na\r\n:7\r\n$-1\r\n"
      "*2\r\n*2\r\n+x\r\n*0\r\n*1\r\n*1\r\n:1\r\n"
      ":9223372036854775807\r\n"sv;
  constexpr const char* kExpected =
      R"(+OK -ERR no such thing -42 "hello" "" nil nil [] ["a",7,nil] [[+x,[]],[[1]]] )"
      "9223372036854775807 ";
  for (std::size_t piece = 1; piece <= kBytes.size(); ++piece) {
    REQUIRE(Read(kBytes, piece) == kExpected);
    REQUIRE(Read(kBytes, piece, false) == "11");
  }
}

TEST_CASE("strings are bytes") {
  CHECK(Read("$9\r\na\r\nb\0%s\xff\xc3\r\n"sv, 4) == "\"a\r\nb\0%s\xff\xc3\" "sv);
}

TEST_CASE("what is not RESP breaks the stream, at once or when it shows") {
  for (const std::string_view bytes : {"HTTP/1.1 400 Bad Request\r\n"sv,
                                       "\0\0\0\0"sv,
                                       "$-2\r\n"sv,
                                       "*-2\r\n"sv,
                                       "$x\r\n"sv,
                                       "*x\r\n"sv,
                                       ":x\r\n"sv,
                                       ":\r\n"sv,
                                       "$99999999999999999999\r\n"sv,
                                       "$536870913\r\n"sv,
                                       "*2\r\n:1\r\n$99999999999\r\nabc"sv,
                                       "$3\r\nabcdef\r\n"sv,
                                       "$1\r\na\n\r"sv,
                                       "*4294967296\r\n"sv,
                                       "*4294967295\r\n"sv,
                                       "*2147483648\r\n"sv,
                                       ",1.5\r\n"sv,
                                       "#t\r\n"sv,
                                       "%1\r\n+a\r\n+b\r\n"sv,
                                       "~1\r\n+a\r\n"sv,
                                       ">1\r\n+a\r\n"sv,
                                       "(123\r\n"sv,
                                       "=5\r\ntxt:a\r\n"sv,
                                       "_\r\n"sv,
                                       "*1\r\n?"sv}) {
    for (const std::size_t piece : {std::size_t{1}, bytes.size()}) {
      CAPTURE(bytes);
      ReplyReader reader;
      Replies replies;
      Progress progress = Progress::kMore;
      for (std::size_t at = 0; at < bytes.size() && progress == Progress::kMore; at += piece) {
        reader.Feed(bytes.substr(at, piece));
        progress = reader.Next(&replies);
      }
      CHECK(progress == Progress::kBroken);
      CHECK_FALSE(reader.error().empty());
      CHECK(reader.Next(&replies) == Progress::kBroken);
    }
  }
}

TEST_CASE("a huge announced size costs nothing before its elements come") {
  ReplyReader reader;
  Replies replies;
  reader.Feed("*2147483647\r\n+a\r\n");
  CHECK(reader.Next(&replies) == Progress::kMore);
  // Addresses at most: what nobody writes to takes no memory.
  CHECK(replies.nodes().capacity() < 600'000);
  reader.Feed("$536870912\r\nabc");
  CHECK(reader.Next(&replies) == Progress::kMore);
}

TEST_CASE("a line that has come in part is not taken for the size of a string") {
  for (const auto& [first, second] :
       {std::pair(":99999999999\r", "\n"), std::pair("+999", "99999999\r\n"),
        std::pair("-9999999999 9", "9\r\n")}) {
    ReplyReader reader;
    Replies replies;
    reader.Feed(first);
    CHECK(reader.Next(&replies) == Progress::kMore);
    reader.Feed(second);
    CHECK(reader.Next(&replies) == Progress::kReply);
  }
}

TEST_CASE("arrays may nest as deep as Redis nests them, and not without end") {
  std::string six;
  for (int i = 0; i < 6; ++i) six += "*1\r\n";
  CHECK(Read(six + ":1\r\n", 3) == "[[[[[[1]]]]]] ");
  std::string endless;
  for (int i = 0; i < 1000; ++i) endless += "*1\r\n";
  CHECK(Read(endless, 64) == "!");
}

TEST_CASE("a line without an end breaks the stream") {
  ReplyReader reader;
  Replies replies;
  const std::string junk = "+" + std::string(ReplyReader::kSlice - 1, 'x');
  Progress progress = Progress::kMore;
  int slices = 0;
  while (progress == Progress::kMore && slices < 100) {
    reader.Feed(junk);
    progress = reader.Next(&replies);
    ++slices;
  }
  CHECK(progress == Progress::kBroken);
  CHECK(slices <= 6);
}

TEST_CASE("a reply whose target goes away half-way is dropped, the next is whole") {
  ReplyReader reader;
  Replies first;
  reader.Feed("*2\r\n*2\r\n$1\r\na\r\n");
  CHECK(reader.Next(&first) == Progress::kMore);
  reader.Feed("$1\r\nb\r\n*1\r\n:1\r\n*2\r\n:5\r\n:6\r\n");
  CHECK(reader.Next(nullptr) == Progress::kReply);
  Replies second;
  CHECK(reader.Next(&second) == Progress::kReply);
  CHECK(ReplyText(second) == "[5,6]");
}

TEST_CASE("large strings and long arrays come through") {
  const std::string large(3 << 20, 'z');
  std::string bytes = "$" + std::to_string(large.size()) + "\r\n" + large + "\r\n*5000\r\n";
  for (int i = 0; i < 5000; ++i) bytes += "$4\r\n" + std::to_string(1000 + i) + "\r\n";
  ReplyReader reader;
  Replies replies;
  int read = 0;
  for (std::size_t at = 0; at < bytes.size(); at += ReplyReader::kSlice) {
    reader.Feed(std::string_view(bytes).substr(at, ReplyReader::kSlice));
    while (reader.Next(&replies) == Progress::kReply) ++read;
  }
  REQUIRE(read == 2);
  CHECK(replies[0].text() == large);
  REQUIRE(replies[1].size == 5000);
  CHECK(replies[1].span() == 5001);
  CHECK((&replies[1] + 5000)->text() == "5999");
}

TEST_CASE("random bytes never do worse than break the stream") {
  std::mt19937 random(7);
  constexpr std::string_view kAlphabet = "*$+-:0123456789\r\n\r\n\r\nab*1$2";
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    const int size = std::uniform_int_distribution(1, 60)(random);
    for (int i = 0; i < size; ++i) {
      bytes +=
          kAlphabet[std::uniform_int_distribution<std::size_t>(0, kAlphabet.size() - 1)(random)];
    }
    const std::string whole = Read(bytes, bytes.size());
    REQUIRE(Read(bytes, 1) == whole);
  }
}

}  // namespace
}  // namespace rankd
