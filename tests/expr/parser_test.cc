// The text grammar: what it means, and what it says about text that is none.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/expr/support.h"

namespace rankd::test {
namespace {

std::vector<std::string> LinesOf(const std::string& message) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = message.find('\n', begin);
    lines.push_back(message.substr(begin, end - begin));
    if (end == std::string::npos) return lines;
    begin = end + 1;
  }
}

TEST_CASE("operators bind as in the grammar") {
  struct Case {
    std::string text;
    Value value;
  };
  const auto i = [](std::int64_t value) { return Value(value); };
  const Case cases[] = {
      {"2 + 3 * 4 - 6 / 4", 12.5},
      {"2 - 3 - 4", i(-5)},
      {"24 / 4 / 2", 3.0},
      {"17 % 10 % 4", i(3)},
      {"2 * -3", i(-6)},
      {"-2 * 3", i(-6)},
      {"--2", i(2)},
      {"- - -2", i(-2)},
      {"2 - -3", i(5)},
      {"2--3", i(5)},
      {"-(2 + 3) * 2", i(-10)},
      {"(2 + 3) * 4", i(20)},
      {"1 + 2 < 4", true},
      {"!1 > 2", true},  // !(1 > 2)
      {"!true && false", false},
      {"!!true", true},
      {"!false || true", true},
      {"true || false && false", true},
      {"(true || false) && false", false},
      {"1 in [1, 2] && 3 in [4] || true", true},
      {"!3 in [3]", false},
      {"1 + 1 in [2]", true},
      {"(1 < 2) == true", true},
      {"-7 % 3", i(-1)},
      {"if(1 < 2, 'a', \"b\")", std::string("a")},
      {"((((5))))", i(5)},
      {" \t\r\n1\n+\n1 ", i(2)},
      {"1+1", i(2)},
      {"i*2", i(14)},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    const Value got = ValueOf(test.text);
    CHECK_MESSAGE(SameValue(got, test.value), Show(got));
  }
}

TEST_CASE("literals are read exactly") {
  struct Case {
    std::string text;
    Value value;
  };
  const auto i = [](std::int64_t value) { return Value(value); };
  const Case cases[] = {
      {"0", i(0)},
      {"007", i(7)},
      {"9223372036854775807", i(9223372036854775807)},
      {"-9223372036854775808", i(-9223372036854775807 - 1)},
      {"- 9223372036854775808", i(-9223372036854775807 - 1)},
      {"-9223372036854775807 - 1", i(-9223372036854775807 - 1)},
      {"--9223372036854775808", {}},
      {"0000000000000000000000000000012", i(12)},
      {"0.5", 0.5},
      {"00.5", 0.5},
      {"1e3", 1000.0},
      {"1E+3", 1000.0},
      {"2.5e-1", 0.25},
      {"1.0", 1.0},
      {"-0.0", -0.0},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"5e-324", 5e-324},
      {"true", true},
      {"false", false},
      {"null", {}},
      {"'it''s' == 'x'", {}},
      {"'a\"b'", std::string("a\"b")},
      {"\"a'b\"", std::string("a'b")},
      {R"('a\'b\"c\\d\/e\b\f\n\r\t')", std::string("a'b\"c\\d/e\b\f\n\r\t")},
      {R"('\u0041\u00e9\u20AC\ud83d\ude00')", std::string("Aé€😀")},
      {"'été😀'", std::string("été😀")},
      {"'raw\nline'", std::string("raw\nline")},
      {"''", std::string()},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    if (std::string_view(test.text) == "'it''s' == 'x'") {  // no doubled quotes
      (void)ProblemsOf(test.text, RowScope());
      continue;
    }
    const Value got = ValueOf(test.text);
    CHECK_MESSAGE(SameValue(got, test.value), Show(got));
  }
  CHECK(SameValue(ValueOf(R"(len('a\u0000b'))"), Value(std::int64_t{3})));
}

TEST_CASE("an error names the column, in characters, and puts a caret under it") {
  struct Case {
    std::string text;
    std::size_t column;
    const char* says;
  };
  const Case cases[] = {
      {"", 1, "expected a value, found the end"},
      {"   ", 4, "expected a value"},
      {"i +", 4, "expected a value, found the end"},
      {"i + + 1", 5, "found \"+\""},
      {"i ** 2", 4, "pow(a, b)"},
      {"(i + 1", 7, "\")\""},
      {"i + 1)", 6, "expected an operator or the end"},
      {"i j", 3, "expected an operator"},
      {"i < 1 < 2", 7, "do not chain"},
      {"i == j == 1", 8, "do not chain"},
      {"i in [1] == true", 10, "do not chain"},
      {"i < 1 in [true]", 7, "do not chain"},
      {"i = 1", 3, "\"==\""},
      {"i & 1", 3, "\"&&\""},
      {"b | c", 3, "\"||\""},
      {"b and c", 3, "\"&&\""},
      {"b or c", 3, "\"||\""},
      {"not b", 5, "expected an operator"},
      {"1 + !b", 5, "parentheses"},
      {"b == !c", 6, "parentheses"},
      {"i ? 1 : 2", 3, "if("},
      {"'abc", 1, "no closing quote"},
      {"i + 'abc\\", 9, "unknown escape"},
      {"'a\\qb'", 3, "unknown escape"},
      {"'\\u12'", 2, "four hexadecimal digits"},
      {"'\\ud800'", 2, "lone surrogate"},
      {"'\\ude00'", 2, "lone surrogate"},
      {"'\\ud800\\u0041'", 2, "lone surrogate"},
      {"1.", 1, "malformed number"},
      {"1.e5", 1, "malformed number"},
      {"i + .5", 5, "digits on both sides"},
      {"1e", 1, "malformed number"},
      {"12abc", 1, "malformed number"},
      {"1.2.3", 1, "malformed number"},
      {"0x10", 1, "malformed number"},
      {"1e400", 1, "no double"},
      {"9223372036854775808", 1, "64 bits"},
      {"99999999999999999999", 1, "64 bits"},
      {"-9223372036854775809", 2, "64 bits"},
      {"i in [9223372036854775808]", 7, "64 bits"},
      {"i in 5", 6, "\"[\""},
      {"i in [1", 8, "\"]\""},
      {"i in [1,]", 9, "expected a literal"},
      {"i in [j]", 7, "expected a literal"},
      {"i in [1 + 1]", 9, "\"]\""},
      {"i in [-'a']", 8, "expected a number"},
      {"in [1]", 1, "expected a value"},
      {"abs(", 5, "expected a value"},
      {"abs(1", 6, "\")\""},
      {"min(1,)", 7, "expected a value"},
      {"min(1 2)", 7, "\",\" or \")\""},
      {"i # 1", 3, "unexpected character \"#\""},
      {"i é", 3, "unexpected character \"é\""},
      {"s == 'é' ! b", 10, "expected an operator"},
      {"s == 'ééé' $", 12, "unexpected character"},
      {"x.y", 1, "unknown name \"x.y\""},
      {"P.", 2, "unexpected character \".\""},
      {"P.pi.x", 5, "unexpected character"},
      {"P .pi", 3, "unexpected character"},
      {"[1]", 1, "expected a value"},
      {"{}", 1, "unexpected character"},
      {"i\n+\n$", 5, "unexpected character"},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    const std::vector<Error> problems = ProblemsOf(test.text, RowScope());
    CHECK(problems.size() == 1);
    CHECK(problems[0].code == ErrorCode::kInvalidPlan);
    CHECK(problems[0].pointer.empty());
    const std::string& message = problems[0].message;
    CAPTURE(message);
    CHECK(message.starts_with("column " + std::to_string(test.column) + ": "));
    CHECK(message.find(test.says) != std::string::npos);
    const std::vector<std::string> lines = LinesOf(message);
    REQUIRE(lines.size() == 3);
    CHECK(lines[2] == std::string(test.column + 1, ' ') + "^");
  }
}

TEST_CASE("the excerpt shows the text on one line") {
  // Control characters are blanks: a tab, a delete, U+009B.
  const std::string message = ProblemsOf("s ==\t'é\x7f\u009b' $", RowScope())[0].message;
  CHECK(message ==
        "column 12: unexpected character \"$\"\n"
        "  s == 'é  ' $\n"
        "             ^");
}

TEST_CASE("the excerpt of a long text is cut around the column") {
  const std::string text = std::string(5000, ' ') + "é$é" + std::string(5000, ' ');
  const std::vector<Error> problems = ProblemsOf("i +" + text, RowScope());
  CHECK(problems[0].message.starts_with("column 5004: unexpected character"));
  const std::vector<std::string> lines = LinesOf(problems[0].message);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].size() < 200);
  CHECK(lines[1].starts_with("  …"));
  CHECK(lines[1].ends_with("…"));
  CHECK(lines[2] == std::string(2 + 1 + 70, ' ') + "^");
}

TEST_CASE("text that is not UTF-8 is a problem, and the message is UTF-8") {
  const std::vector<Error> problems = ProblemsOf("s == '\xff\xc3'", RowScope());
  CHECK(problems[0].message.find("UTF-8") != std::string::npos);
  CHECK(problems[0].message.find('\xff') == std::string::npos);
}

TEST_CASE("names that are words elsewhere are still names") {
  CHECK(ProblemsOf("min + 1", RowScope())[0].message.find("unknown key \"min\"") !=
        std::string::npos);
  CHECK(ProblemsOf("P + 1", RowScope())[0].message.find("unknown key \"P\"") != std::string::npos);
}

}  // namespace
}  // namespace rankd::test
