#include "engine/wire/splitter.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/wire/naive_splitter.h"

namespace rankd {

doctest::String toString(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    text += piece.status == RequestText::Status::kComplete    ? "complete "
            : piece.status == RequestText::Status::kTruncated ? "truncated "
                                                              : "too large ";
    text += std::to_string(piece.first_line) + " <" + piece.bytes + ">\n";
  }
  return text.c_str();
}

namespace {

constexpr std::size_t kLimit = 1 << 20;
using Status = RequestText::Status;

void Drain(RequestSplitter& splitter, std::vector<Piece>& pieces) {
  while (std::optional<RequestText> text = splitter.Next()) {
    pieces.push_back({text->status, std::string(text->bytes), text->first_line});
  }
}

/// What comes of `stream` when it is fed in chunks of `chunk_sizes`, the last one over and over.
std::vector<Piece> Split(std::string_view stream, std::size_t limit,
                         const std::vector<std::size_t>& chunk_sizes) {
  RequestSplitter splitter(limit);
  std::vector<Piece> pieces;
  std::size_t chunk = 0;
  while (!stream.empty()) {
    // A copy of its own for each chunk, so that a sanitizer sees views that outlive it.
    const std::string bytes(stream.substr(0, chunk_sizes[chunk]));
    stream.remove_prefix(bytes.size());
    if (chunk + 1 < chunk_sizes.size()) ++chunk;
    splitter.Feed(bytes);
    Drain(splitter, pieces);
  }
  splitter.FinishInput();
  Drain(splitter, pieces);
  CHECK_FALSE(splitter.Next());
  return pieces;
}

std::vector<Piece> Whole(std::string_view stream, std::size_t limit = kLimit) {
  return Split(stream, limit, {std::string_view::npos});
}

struct Case {
  const char* what;
  std::string stream;
  std::vector<Piece> want;
};

void CheckAll(const std::vector<Case>& cases, std::size_t limit = kLimit) {
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(Whole(c.stream, limit) == c.want);
    CHECK(Split(c.stream, limit, {1}) == c.want);
    CHECK(SplitNaively(c.stream, limit) == c.want);
  }
}

TEST_CASE("one object on each line") {
  CheckAll({
      {"nothing", "", {}},
      {"only blanks", " \n\t\r\n\n  ", {}},
      {"one line", "{}\n", {{Status::kComplete, "{}", 1}}},
      {"no newline at the end", "{\"a\":1}", {{Status::kComplete, "{\"a\":1}", 1}}},
      {"several",
       "{}\n{\"a\":[]}\n{}\n",
       {{Status::kComplete, "{}", 1},
        {Status::kComplete, "{\"a\":[]}", 2},
        {Status::kComplete, "{}", 3}}},
      {"carriage returns",
       "{}\r\n\r\n{}\r\n",
       {{Status::kComplete, "{}", 1}, {Status::kComplete, "{}", 3}}},
      {"a carriage return at the end of the stream", "{}\r", {{Status::kComplete, "{}", 1}}},
      {"blanks before it", "\n \t {}\n", {{Status::kComplete, "{}", 2}}},
      {"two on one line are one text",
       "{} {}\n{}\n",
       {{Status::kComplete, "{} {}", 1}, {Status::kComplete, "{}", 2}}},
      {"brackets in strings do not count",
       "{\"a\":\"}{[\\\"}\"}\n{}\n",
       {{Status::kComplete, "{\"a\":\"}{[\\\"}\"}", 1}, {Status::kComplete, "{}", 2}}},
      {"a string may end in backslashes",
       "{\"a\":\"\\\\\",\"b\":\"\\\\\\\"\"}\n{}\n",
       {{Status::kComplete, "{\"a\":\"\\\\\",\"b\":\"\\\\\\\"\"}", 1},
        {Status::kComplete, "{}", 2}}},
      {"NUL bytes are bytes",
       std::string("{\0}\n{}", 6),
       {{Status::kComplete, std::string("{\0}", 3), 1}, {Status::kComplete, "{}", 2}}},
  });
}

TEST_CASE("a byte order mark is skipped at the very start only") {
  CheckAll({
      {"BOM", "\xEF\xBB\xBF{}\n", {{Status::kComplete, "{}", 1}}},
      {"BOM alone", "\xEF\xBB\xBF", {}},
      {"BOM, then a blank line", "\xEF\xBB\xBF\r\n{}", {{Status::kComplete, "{}", 2}}},
      {"a part of one", "\xEF\xBB", {{Status::kComplete, "\xEF\xBB", 1}}},
      {"a part of one, then a request",
       "\xEF{}\n{}\n",
       {{Status::kComplete, "\xEF{}", 1}, {Status::kComplete, "{}", 2}}},
      {"twice", "\xEF\xBB\xBF\xEF\xBB\xBF{}\n", {{Status::kComplete, "\xEF\xBB\xBF{}", 1}}},
      {"on the second line",
       "{}\n\xEF\xBB\xBF{}\n",
       {{Status::kComplete, "{}", 1}, {Status::kComplete, "\xEF\xBB\xBF{}", 2}}},
  });
}

TEST_CASE("lines are joined until brackets balance") {
  CheckAll({
      {"pretty-printed",
       "{\n  \"a\": [\n    1\n  ]\n}\n{}\n",
       {{Status::kComplete, "{\n  \"a\": [\n    1\n  ]\n}", 1}, {Status::kComplete, "{}", 6}}},
      {"with CRLF and blank lines inside",
       "{\r\n\r\n}\r\n{}",
       {{Status::kComplete, "{\r\n\r\n}", 1}, {Status::kComplete, "{}", 4}}},
      {"an array over lines",
       "[1,\n2]\n{}\n",
       {{Status::kComplete, "[1,\n2]", 1}, {Status::kComplete, "{}", 3}}},
      {"an indented object inside",
       "{\"a\":\n {\"b\":1}\n}\n",
       {{Status::kComplete, "{\"a\":\n {\"b\":1}\n}", 1}}},
      {"two objects that share a line are one text",
       "{\n}{\n}\n{}\n",
       {{Status::kComplete, "{\n}{\n}", 1}, {Status::kComplete, "{}", 4}}},
      {"a closer of the other kind",
       "{]\n{}\n",
       {{Status::kComplete, "{]", 1}, {Status::kComplete, "{}", 2}}},
  });
}

TEST_CASE("a line that is no object is a text of its own") {
  CheckAll({
      {"scalars and junk",
       "5\n[1]\nabc\n]\n\"x\"\n{}\n",
       {{Status::kComplete, "5", 1},
        {Status::kComplete, "[1]", 2},
        {Status::kComplete, "abc", 3},
        {Status::kComplete, "]", 4},
        {Status::kComplete, "\"x\"", 5},
        {Status::kComplete, "{}", 6}}},
      {"closers too many",
       "{\"a\":1}}\n{\"b\":\n1}\n}}}}{\n{}\n",
       {{Status::kComplete, "{\"a\":1}}", 1},
        {Status::kComplete, "{\"b\":\n1}", 2},
        {Status::kComplete, "}}}}{", 4},
        {Status::kComplete, "{}", 5}}},
      {"a closer too many on a later line",
       "{\n}]\n{}\n",
       {{Status::kComplete, "{\n}]", 1}, {Status::kComplete, "{}", 3}}},
  });
}

TEST_CASE("a truncated request never swallows those after it") {
  CheckAll({
      {"the next one begins",
       "{\"broken\":\"json\"\n{\"c\":1}\n",
       {{Status::kTruncated, "{\"broken\":\"json\"", 1}, {Status::kComplete, "{\"c\":1}", 2}}},
      {"twice in a row",
       "{\n{\n{}\n",
       {{Status::kTruncated, "{", 1}, {Status::kTruncated, "{", 2}, {Status::kComplete, "{}", 3}}},
      {"an indented brace does not end it",
       "{\"a\":[\n {}\n{}\n",
       {{Status::kTruncated, "{\"a\":[\n {}", 1}, {Status::kComplete, "{}", 3}}},
      {"a newline inside a string",
       "{\"a\":\"x\n{\"b\":1}\n",
       {{Status::kTruncated, "{\"a\":\"x", 1}, {Status::kComplete, "{\"b\":1}", 2}}},
      {"and what follows it starts anew",
       "{\"a\":\"x\n \"b\":1}\n{}\n",
       {{Status::kTruncated, "{\"a\":\"x", 1},
        {Status::kComplete, "\"b\":1}", 2},
        {Status::kComplete, "{}", 3}}},
      {"an escaped newline",
       "{\"a\":\"x\\\n{}\n",
       {{Status::kTruncated, "{\"a\":\"x\\", 1}, {Status::kComplete, "{}", 2}}},
      {"a quote in junk",
       "it\"s\n{}\n",
       {{Status::kTruncated, "it\"s", 1}, {Status::kComplete, "{}", 2}}},
      {"the stream ends inside",
       "{}\n{\"a\":\n\n",
       {{Status::kComplete, "{}", 1}, {Status::kTruncated, "{\"a\":", 2}}},
      {"the stream ends inside a string", "{\"a\":\"", {{Status::kTruncated, "{\"a\":\"", 1}}},
  });
}

TEST_CASE("a request over the limit is reported once and skipped up to the next object") {
  const std::string ten = "{\"a\":1234}";
  CheckAll(
      {
          {"as long as the limit",
           ten + "\n" + ten + "\r\n" + ten,
           {{Status::kComplete, ten, 1}, {Status::kComplete, ten, 2}, {Status::kComplete, ten, 3}}},
          {"as long as the limit, and a carriage return at the end",
           ten + "\r",
           {{Status::kComplete, ten, 1}}},
          {"one byte over",
           "{\"a\":12345}\n{}\n",
           {{Status::kTooLarge, "", 1}, {Status::kComplete, "{}", 2}}},
          {"over by a blank",
           ten + " \r\n{}\n",
           {{Status::kTooLarge, "", 1}, {Status::kComplete, "{}", 2}}},
          {"what does not begin with a brace goes with it",
           "{\"a\":123456789}\n5\n {}\n]\n{\"b\":1}\n{}\n",
           {{Status::kTooLarge, "", 1},
            {Status::kComplete, "{\"b\":1}", 5},
            {Status::kComplete, "{}", 6}}},
          {"over several lines",
           "{\n\"a\"\n:\n1234\n}\n}\n{}\n",
           {{Status::kTooLarge, "", 1}, {Status::kComplete, "{}", 7}}},
          {"at the limit when the next begins",
           "{\"a\":[123,\r\n{}\n",
           {{Status::kTruncated, "{\"a\":[123,", 1}, {Status::kComplete, "{}", 2}}},
          {"too large wins over truncated",
           "{\"a\":\"12345\n{}\n",
           {{Status::kTooLarge, "", 1}, {Status::kComplete, "{}", 2}}},
          {"nothing after it", "{\"a\":\"1234567890", {{Status::kTooLarge, "", 1}}},
          {"junk",
           "aaaaaaaaaaaaaaaaaaa\n{}",
           {{Status::kTooLarge, "", 1}, {Status::kComplete, "{}", 2}}},
          {"blanks do not count",
           "                    {}                   \n",
           {{Status::kTooLarge, "", 1}}},
          {"blanks before it do not count",
           std::string(1000, ' ') + "{}\n",
           {{Status::kComplete, "{}", 1}}},
          {"a blank line is no request however long",
           std::string(1000, ' ') + "\n{}\n",
           {{Status::kComplete, "{}", 2}}},
      },
      ten.size());
}

TEST_CASE("a request that lies whole in the fed bytes is not copied") {
  RequestSplitter splitter(kLimit);
  const std::string bytes = "{\"a\":1}\n{\n}\n";
  splitter.Feed(bytes);
  const std::optional<RequestText> line = splitter.Next();
  REQUIRE(line);
  CHECK(line->bytes.data() == bytes.data());
  const std::optional<RequestText> lines = splitter.Next();
  REQUIRE(lines);
  CHECK(lines->bytes.data() == bytes.data() + 8);
}

TEST_CASE("a request is given as soon as its last byte is there") {
  RequestSplitter splitter(kLimit);
  splitter.Feed("{\"a\":1}");
  CHECK_FALSE(splitter.Next());
  splitter.Feed("\n");
  CHECK(splitter.Next());
}

TEST_CASE("a request over the limit is reported before its end is seen") {
  RequestSplitter splitter(10);
  const std::string chunk(64, 'x');
  splitter.Feed(chunk);
  const std::optional<RequestText> text = splitter.Next();
  REQUIRE(text);
  CHECK(text->status == Status::kTooLarge);
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(splitter.Next());
    splitter.Feed(chunk);
  }
}

/// Random streams of what matters: brackets, quotes, line ends, whole requests.
std::string RandomStream(std::mt19937& random) {
  static const std::vector<std::string> kParts = {"{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "\"",
                                                  "\\",
                                                  "\n",
                                                  "\r\n",
                                                  "\r",
                                                  " ",
                                                  "a",
                                                  "\n{",
                                                  "{}",
                                                  ",",
                                                  "\t",
                                                  "\\\"",
                                                  "{\"a\":1}\n",
                                                  "{\n\"b\"\n}\n",
                                                  "\n\n",
                                                  "\xEF\xBB\xBF",
                                                  "\xEF",
                                                  "\"x\"",
                                                  "{\"s\":\"}\\\\\"}\n",
                                                  "5\n"};
  std::string stream;
  const std::size_t parts = random() % 40;
  for (std::size_t i = 0; i < parts; ++i) stream += kParts[random() % kParts.size()];
  return stream;
}

TEST_CASE("random streams give what a naive splitter gives, however they are cut") {
  std::mt19937 random(20240607);
  for (int round = 0; round < 20'000; ++round) {
    const std::string stream = RandomStream(random);
    const std::size_t limit = round % 2 == 0 ? kLimit : 1 + random() % 20;
    CAPTURE(stream);
    CAPTURE(limit);
    const std::vector<Piece> want = SplitNaively(stream, limit);
    REQUIRE(Whole(stream, limit) == want);
    REQUIRE(Split(stream, limit, {1}) == want);
    std::vector<std::size_t> chunks;
    for (int i = 0; i < 50; ++i) chunks.push_back(1 + random() % 7);
    REQUIRE(Split(stream, limit, chunks) == want);
  }
}

}  // namespace
}  // namespace rankd
