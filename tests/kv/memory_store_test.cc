#include "engine/kv/memory/memory_store.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/json.h"
#include "tests/support/reply_text.h"

namespace rankd {
namespace {

struct Parsed {
  std::shared_ptr<const MemoryStore> store;
  std::vector<std::string> problems;  ///< "POINTER: message"
};

Parsed Parse(std::string_view json) {
  std::vector<Error> errors;
  Parsed parsed;
  parsed.store = MemoryStore::FromJson(std::string(json), errors);
  CHECK((parsed.store == nullptr) == !errors.empty());
  for (const Error& error : errors) {
    CHECK(error.code == ErrorCode::kInvalidPlan);
    parsed.problems.push_back(error.pointer + ": " + error.message);
  }
  return parsed;
}

std::string HGetAll(const Parsed& parsed, std::string_view key) {
  CommandBatch batch;
  batch.HGetAll(key);
  return ReplyText(AnswerFromStore(parsed.store, batch));
}

std::string HMGet(const Parsed& parsed, std::string_view key, std::vector<std::string> fields) {
  CommandBatch batch;
  const HashFieldNames names(std::move(fields));
  batch.HMGet(key, names);
  return ReplyText(AnswerFromStore(parsed.store, batch));
}

std::string LRange(const Parsed& parsed, std::string_view key, std::int64_t from, std::int64_t to) {
  CommandBatch batch;
  batch.LRange(key, from, to);
  return ReplyText(AnswerFromStore(parsed.store, batch));
}

TEST_CASE("values become the text Redis would hold") {
  const Parsed parsed = Parse(R"({"h":{"s":"x","i":7,"n":-9223372036854775808,
      "u":18446744073709551615,"f":0.5,"g":1e2,"t":true,"z":false,"e":""},"l":[1,2.5,"a",true]})");
  CHECK(parsed.problems.empty());
  CHECK(HGetAll(parsed, "h") ==
        R"(["s","x","i","7","n","-9223372036854775808","u","18446744073709551615",)"
        R"("f","0.5","g","100.0","t","true","z","false","e",""])");
  CHECK(LRange(parsed, "l", 0, -1) == R"(["1","2.5","a","true"])");
}

TEST_CASE("numbers of any length are what the other reader takes them for") {
  std::vector<std::string> numbers = {"0.75000000000000000000",
                                      "123456789012345678.5",
                                      "1.0000000000000000000",
                                      "1.000000000000000000",
                                      "12345678901234567.5",
                                      "1111111111111111111e0",
                                      "11111111111111111111e0",
                                      "11111111111111111111e-400",
                                      "-0",
                                      "-0.0",
                                      "1E5",
                                      "1e-400",
                                      "4.9406564584124654e-324",
                                      "2.2250738585072011e-308",
                                      "9007199254740993.0",
                                      "1.7976931348623157e308"};
  std::minstd_rand random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string number = random() % 2 == 0 ? "-" : "";
    number += static_cast<char>('1' + random() % 9);
    const auto digits = [&](std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) number += static_cast<char>('0' + random() % 10);
    };
    digits(random() % 25);
    if (random() % 2 == 0) {
      number += '.';
      digits(1 + random() % 25);
    }
    if (random() % 2 == 0) number += "e" + std::to_string(static_cast<int>(random() % 600) - 300);
    numbers.push_back(number);
  }
  int taken = 0;
  for (const std::string& number : numbers) {
    const std::string text = "{\"h\":{\"n\":" + number + " }}";
    const Result<JsonDocument> document = ParseJson(text);
    const Parsed parsed = Parse(text);
    CAPTURE(number);
    REQUIRE(document.has_value() == (parsed.store != nullptr));
    if (!document) continue;
    ++taken;
    // Describe writes a number as the store should.
    const std::string expected = document->root().Find("h")->Find("n")->Describe();
    if (HGetAll(parsed, "h") != "[\"n\",\"" + expected + "\"]")
      FAIL(number, ": ", HGetAll(parsed, "h"));
  }
  CHECK(taken > 10'000);
}

TEST_CASE("texts are unescaped, wherever they stand") {
  const Parsed parsed = Parse(
      R"({"k\u00e9y" : {"a\"b":"c\\d", "":"\n" , "ü":"ß"}, "l": ["\/", "x" ], "s":"\ud83d\ude00"})");
  CHECK(parsed.problems.empty());
  CHECK(HGetAll(parsed, "kéy") == "[\"a\"b\",\"c\\d\",\"\",\"\n\",\"ü\",\"ß\"]");
  CHECK(LRange(parsed, "l", 0, -1) == R"(["/","x"])");
}

TEST_CASE("a list of ints is the same however it stands there, and with something else in it") {
  const Parsed parsed = Parse(
      "{\"close\":[1,-2,30],\"wide\":[ 1 ,\n\t-2\r, 30 \n],\"empty\":[ ],"
      "\"text\":[1,-2,\"x\"],\"float\":[1,2.50],\"zero\":[0,-0],\"long\":[1,"
      "18446744073709551615],\"bool\":[1,false],\"after\":\"y\"}");
  CHECK(parsed.problems.empty());
  CHECK(LRange(parsed, "close", 0, -1) == R"(["1","-2","30"])");
  CHECK(LRange(parsed, "wide", 0, -1) == R"(["1","-2","30"])");
  CHECK(LRange(parsed, "empty", 0, -1) == "[]");
  CHECK(LRange(parsed, "text", 0, -1) == R"(["1","-2","x"])");
  CHECK(LRange(parsed, "float", 0, -1) == R"(["1","2.5"])");
  CHECK(LRange(parsed, "zero", 0, -1) == R"(["0","0"])");
  CHECK(LRange(parsed, "long", 0, -1) == R"(["1","18446744073709551615"])");
  CHECK(LRange(parsed, "bool", 0, -1) == R"(["1","false"])");
}

TEST_CASE("data is refused wherever it is no JSON") {
  for (const char* text : {R"({"l":["a":1]})",
                           R"({"l":["a" "b"]})",
                           R"({"l":[1:2]})",
                           R"({"l":[1 2]})",
                           R"({"l":[1"a"]})",
                           R"({"l":[01]})",
                           R"({"l":[-]})",
                           R"({"l":[1.]})",
                           R"({"l":[1x]})",
                           R"({"l":[1,]})",
                           R"({"l":[1, ]})",
                           R"({"l":[1 , 2 3]})",
                           R"({"l":[1,2}})",
                           R"({"l":[1,2)",
                           R"({"l":[1,2,)",
                           R"({"l":[,1]})",
                           R"({"l":["\q"]})",
                           "{\"l\":[\"\n\"]}",
                           R"({"l":[tru]})",
                           R"({"l":[truex]})",
                           R"({"h":{"a" 1}})",
                           R"({"h":{"a":1 "b":2}})",
                           R"({"h":{1:2}})",
                           R"({"h":{"a":1,}})",
                           R"({"h":{"a"}})",
                           R"({"s":"x"}})",
                           R"({"s":"x"} 1)",
                           R"({"s":"x")",
                           R"({"l":[1)",
                           R"({"l":[1)"
                           "\0]}",
                           R"({"s":"x)",
                           R"({"s" "x"})",
                           R"("s":"x"})"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseJson(text));
    CHECK(Parse(text).store == nullptr);
  }
}

TEST_CASE("data of any tokens is taken only where it is JSON") {
  const std::vector<std::string> tokens = {"{",   "}",     "[",        "]",       ":",
                                           ",",   "\"a\"", "\"b\\n\"", "1",       "-20",
                                           "0.5", "true",  " ",        "\"l\":[", "{\"h\":{"};
  std::minstd_rand random(1);
  int valid = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text = "{\"k\":";
    for (std::size_t k = random() % 10; k > 0; --k) text += tokens[random() % tokens.size()];
    text += "}";
    const bool json = ParseJson(text).has_value();
    std::vector<Error> problems;
    const auto store = MemoryStore::FromJson(text, problems);
    if (store != nullptr && !json) FAIL(text);
    // What one of the readers took and the other did not.
    if (json && !problems.empty() && problems[0].message == "not valid JSON") FAIL(text);
    valid += store != nullptr ? 1 : 0;
  }
  CHECK(valid > 100);
}

TEST_CASE("texts of any bytes are what the other reader takes them for") {
  using namespace std::string_literals;
  const std::vector<std::string> parts = {
      "a",    "bcdefg", " ",    "/",       "\x7f",           "ü",  "€",  "😀",  "\\n",
      "\\\"", "\\\\",   "\\/",  "\\u00e9", "\\ud83d\\ude00", "\"", "\\", "\n", "\x1f",
      "\0"s,  "\xc3",   "\xff", "\\ud800", "\\u12"};
  constexpr std::size_t kSound = 14;  // in front
  std::minstd_rand random(1);
  int taken = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string quoted = "\"";
    for (std::size_t k = random() % 12; k > 0; --k) {
      quoted += parts[random() % (random() % 8 == 0 ? parts.size() : kSound)];
    }
    quoted += "\"";
    std::string text = "{\"h\":{" + quoted + ":" + quoted + "}, " + quoted + ":[" + quoted + "]}";
    if (random() % 8 == 0) text.resize(random() % text.size());
    const Result<JsonDocument> document = ParseJson(text);
    std::vector<Error> problems;
    const Parsed parsed{MemoryStore::FromJson(text, problems), {}};
    if (document.has_value() != (parsed.store != nullptr)) FAIL(text);
    if (!document) continue;
    ++taken;
    const JsonField& field = document->root().Find("h")->fields()[0];
    const std::string element = "\"" + std::string(field.name) + "\"";
    CHECK(*field.value.AsString() == field.name);
    if (HGetAll(parsed, "h") != "[" + element + "," + element + "]") FAIL(text);
    if (LRange(parsed, field.name, 0, -1) != "[" + element + "]") FAIL(text);
  }
  CHECK(taken > 10'000);
}

TEST_CASE("a key that is missing, or empty, has no fields and no elements") {
  const Parsed parsed = Parse(R"({"h":{},"l":[]})");
  CHECK(parsed.problems.empty());
  for (const char* key : {"h", "l", "none", ""}) {
    CAPTURE(key);
    CHECK(HGetAll(parsed, key) == "[]");
    CHECK(HMGet(parsed, key, {"a", "b"}) == "[nil,nil]");
    CHECK(LRange(parsed, key, 0, -1) == "[]");
  }
}

TEST_CASE("keys that are numbers find what their texts find") {
  const Parsed parsed =
      Parse(R"({"user:1":{"a":1},"user:-1":{"a":2},"user:01":{"a":3},"user:0":{"a":4},
      "user:-0":{"a":5},"user:1000000000000000000":{"a":6},"user:999999999999999999":{"a":7},
      "user:-9223372036854775808":{"a":8},"1":{"a":9},"-1":{"a":10},"v21":{"a":11},"v2-1":{"a":12},
      "v2--1":{"a":13},"user:1:x":{"a":14},"user:2":[1],"user:3":{},"user:4":"text","user:5":{"b":1}})");
  CHECK(parsed.problems.empty());
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> numbers = {
      1, -1, 0, 2, 3, 4, 5, 6, 10, 21, kMostSplit, -kMostSplit, kMostSplit + 1, kMin};
  const HashFieldNames fields({"a", "none"});
  int found = 0;
  for (const auto& [prefix, suffix] :
       {std::pair("user:", ""), std::pair("user:", ":x"), std::pair("", ""), std::pair("v", ""),
        std::pair("v2", ""), std::pair("v2-", ""), std::pair("user:0", ""), std::pair("no", "")}) {
    CAPTURE(std::string(prefix));
    const KeyPattern pattern(prefix, suffix);
    CommandBatch by_number;
    CommandBatch by_text;
    by_number.HMGetEach(numbers, pattern, fields);
    for (const std::int64_t number : numbers) by_text.HMGet(pattern.For(number), fields);
    const std::string expected = ReplyText(AnswerFromStore(parsed.store, by_text));
    CHECK(ReplyText(AnswerFromStore(parsed.store, by_number)) == expected);
    for (const char c : expected) found += c == '"' ? 1 : 0;
  }
  CHECK(found == 2 * 15);
  CHECK(HGetAll(parsed, "user:01") == R"(["a","3"])");
  CHECK(HGetAll(parsed, "user:-0") == R"(["a","5"])");
}

TEST_CASE("a key that stands twice is refused, with a number or without") {
  CHECK(Parse(R"({"user:1":{"a":1},"user:2":[],"user:1":[1]})").problems ==
        std::vector<std::string>{"/user:1: the key stands twice"});
  CHECK(Parse(R"({"user":{"a":1},"user:2":[],"user":[1]})").problems ==
        std::vector<std::string>{"/user: the key stands twice"});
}

TEST_CASE("a key of another type is WRONGTYPE") {
  const Parsed parsed = Parse(R"({"h":{"a":1},"l":[1],"s":"text"})");
  const std::string wrong = "-WRONGTYPE Operation against a key holding the wrong kind of value";
  CHECK(HGetAll(parsed, "l") == wrong);
  CHECK(HGetAll(parsed, "s") == wrong);
  CHECK(HMGet(parsed, "l", {"a"}) == wrong);
  CHECK(LRange(parsed, "h", 0, -1) == wrong);
  CHECK(LRange(parsed, "s", 0, -1) == wrong);
}

TEST_CASE("HMGET gives nil where a field is missing, and repeats what is asked twice") {
  const Parsed parsed = Parse(R"({"h":{"a":1,"b":2}})");
  CHECK(HMGet(parsed, "h", {"b", "x", "a", "b", ""}) == R"(["2",nil,"1","2",nil])");
  CHECK(HMGet(parsed, "h", {}) == "-ERR wrong number of arguments for 'hmget' command");
}

TEST_CASE("a hash of many fields finds each of them") {
  std::string json = R"({"small":{"x":1},"big":{)";
  for (int i = 0; i < 500; ++i) {
    json += (i > 0 ? ",\"f" : "\"f") + std::to_string(i * 7919 % 500) + "\":" + std::to_string(i);
  }
  json += R"(},"other":{"x":3}})";
  const Parsed parsed = Parse(json);
  CHECK(parsed.problems.empty());
  for (int i = 0; i < 500; ++i) {
    const std::string field = "f" + std::to_string(i * 7919 % 500);
    CHECK(HMGet(parsed, "big", {field}) == "[\"" + std::to_string(i) + "\"]");
  }
  CHECK(HMGet(parsed, "big", {"f500", "", "a", "z"}) == "[nil,nil,nil,nil]");
  CHECK(HMGet(parsed, "other", {"x"}) == R"(["3"])");
}

TEST_CASE("LRANGE takes its ends as Redis does") {
  const Parsed parsed = Parse(R"({"l":[0,1,2,3,4]})");
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  struct Case {
    std::int64_t from;
    std::int64_t to;
    const char* expected;
  };
  for (const Case& c :
       {Case{0, -1, R"(["0","1","2","3","4"])"}, Case{0, 0, R"(["0"])"}, Case{1, 2, R"(["1","2"])"},
        Case{-2, -1, R"(["3","4"])"}, Case{-100, 1, R"(["0","1"])"}, Case{3, 100, R"(["3","4"])"},
        Case{3, 2, "[]"}, Case{5, 10, "[]"}, Case{0, -6, "[]"}, Case{-1, -2, "[]"},
        Case{kMin, kMax, R"(["0","1","2","3","4"])"}, Case{kMax, kMin, "[]"},
        Case{kMin, kMin, "[]"}}) {
    CAPTURE(c.from);
    CAPTURE(c.to);
    CHECK(LRange(parsed, "l", c.from, c.to) == c.expected);
  }
}

TEST_CASE("a pipeline is answered command by command, from the store's own bytes") {
  Parsed parsed = Parse(R"({"h":{"a":"abc"},"l":[1,2]})");
  CommandBatch batch;
  batch.HGetAll("h");
  batch.LRange("none", 0, -1);
  batch.LRange("l", 0, -1);
  batch.HGetAll("l");
  const Replies first = AnswerFromStore(parsed.store, batch);
  const Replies second = AnswerFromStore(parsed.store, batch);
  REQUIRE(first.size() == 4);
  CHECK(ReplyText(first) == R"(["a","abc"] [] ["1","2"] )"
                            "-WRONGTYPE Operation against a key holding the wrong kind of value");
  CHECK(first[0].elements() == second[0].elements());
  CHECK(first[2].elements() == second[2].elements());
  parsed.store.reset();  // the replies keep it
  CHECK(first[0].elements()[1].text() == "abc");
}

TEST_CASE("what no key can hold is a problem with its place, all of them found") {
  const Parsed parsed = Parse(
      R"({"a/b":7,"n":null,"h":{"x":null,"y":{"z":1},"ok":1},"l":[1,[2],{"k":3},null],"b":true,
          "t":{"d":1,"e":2,"d":3},"dup":[1],"dup":[2]})");
  CHECK(parsed.problems ==
        std::vector<std::string>{
            "/a~1b: a key holds a hash (an object), a list (an array) or a string, not 7",
            "/n: a key holds a hash (an object), a list (an array) or a string, not null",
            "/h/x: expected a string, a number, true or false, not null",
            "/h/y: expected a string, a number, true or false, not an object",
            "/l/1: expected a string, a number, true or false, not an array",
            "/l/2: expected a string, a number, true or false, not an object",
            "/l/3: expected a string, a number, true or false, not null",
            "/b: a key holds a hash (an object), a list (an array) or a string, not true",
            "/t/d: the field stands twice",
            "/dup: the key stands twice",
        });
}

TEST_CASE("data that is no object is a problem of the whole file") {
  CHECK(Parse("[1]").problems ==
        std::vector<std::string>{": expected an object of keys, not an array"});
  CHECK(Parse("{}").store->key_count() == 0);
  for (const char* scalar : {"7", "\"x\"", "null", "true", "1.5"}) {
    CHECK(Parse(scalar).problems == std::vector<std::string>{": expected an object of keys, not " +
                                                             ParseJson(scalar)->root().Describe()});
  }
}

/// The other reader of the same text.
bool IsJson(const std::string& text) { return ParseJson(text).has_value(); }

TEST_CASE("what is no JSON is a problem of the whole file, wherever it goes wrong") {
  const std::string whole =
      R"({"h" : {"a":"x\u00e9\n","b":-1.5e3,"c":true} ,"l":[0,"",false , 18446744073709551615],"s":"é"} )";
  REQUIRE(IsJson(whole));
  CHECK(Parse(whole).problems.empty());
  CHECK(Parse("\xEF\xBB\xBF" + whole).problems.empty());
  const auto expect_like_the_tree = [](const std::string& text) {
    if (IsJson(text)) return;
    CAPTURE(text);
    const Parsed parsed = Parse(text);
    REQUIRE(parsed.problems.size() == 1);
    CHECK(parsed.problems[0] == ": " + ParseJson(text).error().message);
  };
  // A character gone, doubled, or become another; the end missing; more behind it.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    expect_like_the_tree(whole.substr(0, at));
    expect_like_the_tree(whole + whole[at]);
    expect_like_the_tree(whole.substr(0, at) + whole.substr(at + 1));
    expect_like_the_tree(whole.substr(0, at) + whole[at] + whole.substr(at));
    for (const char other : std::string("{}[]\":,\\ 0.-eutn/x\x01\x80\xff\n") + '\0') {
      std::string text = whole;
      text[at] = other;
      expect_like_the_tree(text);
      expect_like_the_tree(whole.substr(0, at) + other + whole.substr(at));
    }
  }
  for (const char* text :
       {"", " ", "{", "nul", "{\"a\":[1e999]}", "{\"a\":[18446744073709551616]}",
        "{\"a\":\"\\ud800\"}", "{\"a\":[01]}", "{\"a\":[1.]}", "{} {}", "{\"a\":[1],}"}) {
    REQUIRE_FALSE(IsJson(text));
    expect_like_the_tree(text);
  }
}

TEST_CASE("the data can be written as commands that load it, hashes and lists deleted first") {
  const Parsed parsed =
      Parse(R"({"l":[1,"a\r\nb"],"h":{"x":0.5,"y":""},"s":"é","none":[],"no":{}})");
  std::string out;
  AppendLoadCommands(*parsed.store, out);
  CHECK(out ==
        "*2\r\n$3\r\nDEL\r\n$1\r\nl\r\n"
        "*4\r\n$5\r\nRPUSH\r\n$1\r\nl\r\n$1\r\n1\r\n$4\r\na\r\nb\r\n"
        "*2\r\n$3\r\nDEL\r\n$1\r\nh\r\n"
        "*6\r\n$4\r\nHSET\r\n$1\r\nh\r\n$1\r\nx\r\n$3\r\n0.5\r\n$1\r\ny\r\n$0\r\n\r\n"
        "*3\r\n$3\r\nSET\r\n$1\r\ns\r\n$2\r\né\r\n"
        "*2\r\n$3\r\nDEL\r\n$4\r\nnone\r\n"
        "*2\r\n$3\r\nDEL\r\n$2\r\nno\r\n");
}

}  // namespace
}  // namespace rankd
