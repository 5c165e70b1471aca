#include "engine/base/json_syntax.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "engine/base/json.h"

namespace rankd {
namespace {

/// "line:column what", or "" where nothing is wrong.
std::string Found(std::string_view text) {
  const std::optional<JsonSyntaxError> error = FindJsonSyntaxError(text);
  if (!error) return "";
  return std::to_string(error->line) + ":" + std::to_string(error->column) + " " + error->what;
}

TEST_CASE("the first error is told with its place") {
  const struct {
    const char* text;
    const char* found;
  } rows[] = {
      {"", "1:1 expected a value, not the end"},
      {"{\"a\":NaN}", "1:6 expected a value, not NaN"},
      {"{\"a\":-Infinity}", "1:6 expected a value, not -Infinity"},
      {"{\"a\": +1}", "1:7 expected a value, not +1"},
      {"{\"a\":tru}", "1:6 expected a value, not tru"},
      {"{\"a\":1,}", "1:8 expected a name in double quotes, not \"}\""},
      {"{'a':1}", "1:2 expected a name in double quotes, not a single quote"},
      {"{a:1}", "1:2 expected a name in double quotes, not a"},
      {"{\"a\" 1}", "1:6 expected \":\", not 1"},
      {"{\"a\":1 \"b\":2}", "1:8 expected \",\" or \"}\", not a string"},
      {"{\n \"n\": [1,,2]\n}", "2:10 expected a value, not \",\""},
      {"[1 2]", "1:4 expected \",\" or \"]\", not 2"},
      {"[1}", "1:3 expected \",\" or \"]\", not \"}\""},
      {"[1,\n[2", "2:3 expected \",\" or \"]\", not the end"},
      {"{} {}", "1:4 expected nothing more, not \"{\""},
      {"[01]", "1:2 the number 01 is malformed"},
      {"[1.]", "1:2 the number 1. is malformed"},
      {"[-]", "1:2 the number - is malformed"},
      {"[1e400]", "1:2 the number 1e400 is beyond any double"},
      {"[18446744073709551616]", "1:2 the number 18446744073709551616 is beyond 64 bits"},
      {"[-9223372036854775809]", "1:2 the number -9223372036854775809 is beyond 64 bits"},
      {"[\"a\nb\"]", "1:4 a control character inside a string; write it as an escape such as \\n"},
      {"[\"ab", "1:2 the string that begins here has no closing quote"},
      {"[\"a\\x\"]", "1:4 a backslash that begins no escape"},
      {"[\"\\u12g4\"]", "1:3 \\u needs four hexadecimal digits"},
      {"[\"\\ud800\"]", "1:3 a lone surrogate"},
      {"[\"\\ud800\\u0041\"]", "1:3 a lone surrogate"},
      {"[\"\\udc00\"]", "1:3 a lone surrogate"},
      {"[\xC3\xA9]", "1:2 expected a value, not a character outside quotes"},
      {"[\x01]", "1:2 expected a value, not a control character"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(Found(row.text) == row.found);
  }
}

TEST_CASE("what is JSON has no error") {
  for (const char* text : {"1", "-0", "1.5e-7", "18446744073709551615", "-9223372036854775808",
                           "\"\\ud83d\\ude00\"", " [ ] ", "{}", "[[],{}]",
                           "{\"a\":{\"b\":[1,true,false,null,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]}}"}) {
    CAPTURE(text);
    CHECK(Found(text) == "");
  }
}

TEST_CASE("words name the line only where there are several") {
  const JsonSyntaxError error = FindJsonSyntaxError("[\n]]").value();
  CHECK(error.Words(false) == "line 2, column 2: expected nothing more, not \"]\"");
  CHECK(error.Words(true) == "column 2: expected nothing more, not \"]\"");
}

TEST_CASE("it finds an error where the parser does, on texts with random changes") {
  const std::string sample =
      R"({"a":[1,-2.5e3,"x\u00e9\n",true],"b":{"c":null,"d":[[],{}]},"e":12345678901234567890})";
  constexpr std::string_view kBytes = "{}[]:,\"\\01-.eEtfnu x\n";
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = sample;
    for (std::size_t changes = random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char byte = kBytes[random() % kBytes.size()];
      if (random() % 3 == 0) {
        text.erase(at, 1);
      } else if (random() % 2 == 0) {
        text.insert(at, 1, byte);
      } else {
        text[at] = byte;
      }
    }
    CAPTURE(text);
    CHECK(FindJsonSyntaxError(text).has_value() == !ParseJson(text).has_value());
  }
}

}  // namespace
}  // namespace rankd
