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

TEST_CASE("a batch keeps commands and arguments in order") {
  CommandBatch batch;
  CHECK(batch.empty());
  batch.HGetAll("user:1");
  const std::vector<std::string> fields{"country", "", "age"};
  batch.HMGet("user:2", fields);
  batch.LRange("follow:1", 0, -1);
  REQUIRE(batch.size() == 3);
  CHECK(batch.verb(0) == Verb::kHGetAll);
  CHECK(batch.argument_count(0) == 1);
  CHECK(batch.key(0) == "user:1");
  CHECK(batch.verb(1) == Verb::kHMGet);
  REQUIRE(batch.argument_count(1) == 4);
  CHECK(batch.key(1) == "user:2");
  CHECK(batch.argument(1, 1) == "country");
  CHECK(batch.argument(1, 2) == "");
  CHECK(batch.argument(1, 3) == "age");
  REQUIRE(batch.argument_count(2) == 3);
  CHECK(batch.argument(2, 1) == "0");
  CHECK(batch.argument(2, 2) == "-1");
  CHECK(batch.argument_bytes() == 6 + 6 + 7 + 3 + 8 + 1 + 2);
}

TEST_CASE("arguments are bytes, whatever they hold") {
  CommandBatch batch;
  const std::string_view odd = "a\r\nb\0c%s\xff\xc3\xa9"sv;
  batch.HGetAll(odd);
  batch.HGetAll("");
  CHECK(batch.key(0) == odd);
  CHECK(batch.key(1) == "");
}

TEST_CASE("the ends of a range are written in full") {
  CommandBatch batch;
  batch.LRange("k", std::numeric_limits<std::int64_t>::min(),
               std::numeric_limits<std::int64_t>::max());
  CHECK(batch.argument(0, 1) == "-9223372036854775808");
  CHECK(batch.argument(0, 2) == "9223372036854775807");
}

TEST_CASE("a cleared batch is empty and can be used again") {
  CommandBatch batch;
  batch.HGetAll("a");
  batch.Clear();
  CHECK(batch.empty());
  CHECK(batch.argument_bytes() == 0);
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
}

}  // namespace
}  // namespace rankd
