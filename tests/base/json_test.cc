#include "engine/base/json.h"

#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace rankd {
namespace {

JsonDocument Parsed(std::string_view text) {
  Result<JsonDocument> document = ParseJson(text);
  REQUIRE(document.has_value());
  return *std::move(document);
}

TEST_CASE("a document keeps kinds, order and repeats") {
  const JsonDocument document =
      Parsed(R"({"b":1,"a":[true,null,-2,18446744073709551615,1.5,"x\u0000y"],"b":2})");
  const Json& root = document.root();
  REQUIRE(root.fields().size() == 3);
  CHECK(root.fields()[0].name == "b");
  CHECK(root.fields()[2].value.AsInt() == 2);
  CHECK(root.Find("b")->AsInt() == 1);
  CHECK(root.Find("c") == nullptr);
  const std::span<const Json> items = root.Find("a")->items();
  REQUIRE(items.size() == 6);
  CHECK(items[0].AsBool() == true);
  CHECK(items[1].is_null());
  CHECK(items[2].AsInt() == -2);
  CHECK(items[3].kind() == Json::Kind::kUint);
  CHECK_FALSE(items[3].AsInt().has_value());
  CHECK(items[3].AsNumber() == 18446744073709551615.0);
  CHECK(items[4].AsNumber() == 1.5);
  CHECK(items[5].AsString() == std::string_view("x\0y", 3));
}

TEST_CASE("a document stays valid when moved") {
  JsonDocument first = Parsed(R"(["a"])");
  const JsonDocument second = std::move(first);
  CHECK(second.root().items()[0].AsString() == "a");
}

TEST_CASE("a byte order mark is skipped") { CHECK(Parsed("\xEF\xBB\xBF{}").root().is_object()); }

TEST_CASE("what is no JSON is refused with invalid_json") {
  const std::string deep(1'100, '[');
  for (const std::string& bad :
       {std::string(""), std::string("{"), std::string("[1,]"), std::string("1e400"),
        std::string("[1] 2"), std::string("\"\xff\""), std::string("nan"), deep,
        std::string("{\"a\":1,}"), std::string("99999999999999999999")}) {
    CAPTURE(bad);
    const Result<JsonDocument> document = ParseJson(bad);
    REQUIRE_FALSE(document.has_value());
    CHECK(document.error().code == ErrorCode::kInvalidJson);
  }
}

TEST_CASE("strings are escaped as little as JSON allows") {
  std::string text;
  AppendJsonString(text, std::string_view("a\"\\\n\t\r\b\f\x01\0/é\xE2\x80\xA8", 16));
  CHECK(text == "\"a\\\"\\\\\\n\\t\\r\\b\\f\\u0001\\u0000/é\xE2\x80\xA8\"");
}

TEST_CASE("pointers escape their tokens") {
  CHECK(JsonPointer("/keys", "a/b~c") == "/keys/a~1b~0c");
  CHECK(JsonPointer("/nodes", std::size_t{3}) == "/nodes/3");
}

TEST_CASE("values are described for messages, long ones cut at a character") {
  const JsonDocument document = Parsed(R"(["éééééééééééééééééééééééé", 1.0, 7, null, {}, []])");
  const std::span<const Json> items = document.root().items();
  CHECK(items[0].Describe() == "the string \"éééééééééééééééééééé\"…");
  CHECK(items[1].Describe() == "1.0");
  CHECK(items[2].Describe() == "7");
  CHECK(items[3].Describe() == "null");
  CHECK(items[4].Describe() == "an object");
  CHECK(items[5].Describe() == "an array");
}

}  // namespace
}  // namespace rankd
