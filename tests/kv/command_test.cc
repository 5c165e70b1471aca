#include "engine/kv/command.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "engine/kv/resp.h"

namespace rankd {
namespace {

using namespace std::string_view_literals;

std::string RespOf(const CommandBatch& batch) {
  std::string resp = "x";
  batch.AppendResp(resp);
  CHECK(batch.RespBytes() == resp.size() - 1);
  return resp.substr(1);
}

TEST_CASE("a batch keeps commands and keys in order") {
  CommandBatch batch;
  CHECK(batch.empty());
  CHECK(RespOf(batch) == "");
  batch.HGetAll("user:1");
  const HashFieldNames fields({"country", "", "age"});
  const HashFieldNames others({"country", "", "age"});
  batch.HMGet("user:2", fields);
  batch.HMGet("user:33", fields);
  batch.HMGet("u", others);
  batch.LRange("follow:1", 0, -1);
  batch.LRange("follow:2", 0, -1);
  batch.LRange("f", 0, 9);
  batch.HGetAll("");
  REQUIRE(batch.size() == 8);
  CHECK(batch.key(0) == "user:1");
  CHECK(batch.key(2) == "user:33");
  CHECK(batch.key(6) == "f");
  CHECK(batch.key(7) == "");
  CHECK(batch.verb(0) == Verb::kHGetAll);
  for (const std::size_t i : {1u, 2u, 3u}) CHECK(batch.verb(i) == Verb::kHMGet);
  for (const std::size_t i : {4u, 5u, 6u}) CHECK(batch.verb(i) == Verb::kLRange);
  CHECK(batch.verb(7) == Verb::kHGetAll);
  REQUIRE(batch.stretches().size() == 6);
  CHECK(batch.stretches()[1].fields == &fields);
  CHECK(batch.stretches()[1].first == 1);
  CHECK(batch.stretches()[1].end == 3);
  CHECK(batch.stretches()[4].range == ListRange{0, 9});
  const std::string tail = "$7\r\ncountry\r\n$0\r\n\r\n$3\r\nage\r\n";
  CHECK(RespOf(batch) ==
        "*2\r\n$7\r\nHGETALL\r\n$6\r\nuser:1\r\n"
        "*5\r\n$5\r\nHMGET\r\n$6\r\nuser:2\r\n" +
            tail + "*5\r\n$5\r\nHMGET\r\n$7\r\nuser:33\r\n" + tail +
            "*5\r\n$5\r\nHMGET\r\n$1\r\nu\r\n" + tail +
            "*4\r\n$6\r\nLRANGE\r\n$8\r\nfollow:1\r\n$1\r\n0\r\n$2\r\n-1\r\n"
            "*4\r\n$6\r\nLRANGE\r\n$8\r\nfollow:2\r\n$1\r\n0\r\n$2\r\n-1\r\n"
            "*4\r\n$6\r\nLRANGE\r\n$1\r\nf\r\n$1\r\n0\r\n$1\r\n9\r\n"
            "*2\r\n$7\r\nHGETALL\r\n$0\r\n\r\n");
}

TEST_CASE("keys that are numbers are sent as their texts would be, among others") {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> numbers = {0,   7,     -7,     9,       10,   99,
                                       100, 12345, 99'999, 100'000, kMin, kMax};
  for (std::int64_t i = 0; i < 300; ++i) numbers.push_back(i * i * i - 1000);
  const HashFieldNames fields({"country", "age"});
  const HashFieldNames others({"a"});
  for (const auto& [prefix, suffix] :
       {std::pair("user:", ""), std::pair("", ""), std::pair("a\r\n", ":x"),
        std::pair("a prefix of more than sixteen bytes:", "!")}) {
    CAPTURE(std::string(prefix));
    const KeyPattern pattern(prefix, suffix);
    CommandBatch by_number;
    CommandBatch by_text;
    for (CommandBatch* batch : {&by_number, &by_text}) {
      batch->HGetAll("first");
      batch->HMGet("before", fields);
    }
    by_number.HMGetEach(numbers, pattern, fields);
    by_number.HMGetEach({}, pattern, fields);
    by_number.HMGetEach(std::span(numbers).first(2), pattern, others);
    for (const std::int64_t number : numbers) by_text.HMGet(pattern.For(number), fields);
    for (const std::int64_t number : {0, 7}) by_text.HMGet(pattern.For(number), others);
    for (CommandBatch* batch : {&by_number, &by_text}) {
      batch->HMGet("behind", others);
      batch->LRange("last", 0, -1);
    }
    REQUIRE(by_number.size() == by_text.size());
    for (std::size_t i = 0; i < by_text.size(); ++i) {
      REQUIRE(by_number.key(i) == by_text.key(i));
      REQUIRE(by_number.verb(i) == by_text.verb(i));
    }
    CHECK(RespOf(by_number) == RespOf(by_text));
    by_number.Clear();
    CHECK(by_number.empty());
    by_number.HGetAll("again");
    CHECK(by_number.key(0) == "again");
  }
}

TEST_CASE("keys are bytes, whatever they hold") {
  CommandBatch batch;
  const std::string_view odd = "a\r\nb\0c%s\xff\xc3\xa9"sv;
  batch.HGetAll(odd);
  batch.HGetAll("");
  CHECK(batch.key(0) == odd);
  CHECK(batch.key(1) == "");
  CHECK(RespOf(batch) == "*2\r\n$7\r\nHGETALL\r\n$11\r\n" + std::string(odd) +
                             "\r\n*2\r\n$7\r\nHGETALL\r\n$0\r\n\r\n");
}

TEST_CASE("the ends of a range are written in full") {
  CommandBatch batch;
  batch.LRange("k", std::numeric_limits<std::int64_t>::min(),
               std::numeric_limits<std::int64_t>::max());
  CHECK(RespOf(batch) ==
        "*4\r\n$6\r\nLRANGE\r\n$1\r\nk\r\n$20\r\n-9223372036854775808\r\n"
        "$19\r\n9223372036854775807\r\n");
}

TEST_CASE("a cleared batch is empty and can be used again") {
  CommandBatch batch;
  batch.HGetAll("a");
  batch.Clear();
  CHECK(batch.empty());
  CHECK(RespOf(batch) == "");
  batch.HGetAll("b");
  CHECK(batch.key(0) == "b");
}

TEST_CASE("verbs have the names Redis knows") {
  CHECK(VerbName(Verb::kHGetAll) == "HGETALL");
  CHECK(VerbName(Verb::kHMGet) == "HMGET");
  CHECK(VerbName(Verb::kLRange) == "LRANGE");
}

TEST_CASE("RESP counts bytes and escapes nothing") {
  std::string out = "x";
  AppendCommandHead(out, 2);
  AppendBulkString(out, "GET");
  AppendBulkString(out, "a\r\n\0\xff"sv);
  CHECK(out == "x*2\r\n$3\r\nGET\r\n$5\r\na\r\n\0\xff\r\n"sv);
  out.clear();
  AppendBulkString(out, "");
  CHECK(out == "$0\r\n\r\n");
  for (const std::size_t size : {0u, 1u, 9u, 10u, 99u, 100u, 1000u, 12345u}) {
    out.clear();
    AppendBulkString(out, std::string(size, 'x'));
    CHECK(out.size() == size + BulkFrameBytes(size));
  }
}

}  // namespace
}  // namespace rankd
