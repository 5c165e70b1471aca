// Depth and size: clean problems, whatever the text.
#include <string>

#include <doctest/doctest.h>

#include "tests/expr/support.h"

namespace rankd::test {
namespace {

std::string Repeat(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

bool Says(const std::string& text, const std::string& words) {
  const std::vector<Error> problems = ProblemsOf(text, RowScope());
  CHECK(problems.size() == 1);
  CHECK(problems[0].message.size() < 1000);
  return problems[0].message.find(words) != std::string::npos;
}

TEST_CASE("64 levels are fine and 65 are not") {
  CHECK(SameValue(ValueOf(Repeat("(", 64) + "i" + Repeat(")", 64)), Value(std::int64_t{7})));
  CHECK(Says(Repeat("(", 65) + "i" + Repeat(")", 65), "64 deep"));
  CHECK(SameValue(ValueOf(Repeat("-", 63) + "i"), Value(std::int64_t{-7})));
  CHECK(Says(Repeat("-", 64) + "i", "64 deep"));
  CHECK(SameValue(ValueOf(Repeat("!", 63) + "b"), Value(false)));
  CHECK(Says(Repeat("!", 64) + "b", "64 deep"));
  CHECK(SameValue(ValueOf(Repeat("abs(", 63) + "i" + Repeat(")", 63)), Value(std::int64_t{7})));
  CHECK(Says(Repeat("abs(", 64) + "i" + Repeat(")", 64), "64 deep"));
  // A right-leaning tree is as deep as it looks.
  CHECK(Says(Repeat("1 - (", 64) + "i" + Repeat(")", 64), "64 deep"));
}

TEST_CASE("a chain of one precedence is one level") {
  CHECK(SameValue(ValueOf("i" + Repeat(" + 1", 4000)), Value(std::int64_t{4007})));
  CHECK(SameValue(ValueOf("false" + Repeat(" || b", 4000)), Value(true)));
}

TEST_CASE("deep nesting of any kind is a clean problem") {
  for (const std::string opening : {"(", "!", "-", "abs(", "- -", "!(", "(-", "min(1, ",
                                    "if(true, 1, ", "1 + (", "i in [1] && ("}) {
    CAPTURE(opening);
    CHECK(Says(Repeat(opening, 100'000), "64 deep"));
  }
}

TEST_CASE("10,000 nodes are fine and more are not") {
  CHECK(SameValue(ValueOf("-i" + Repeat(" + 1", 4999)), Value(std::int64_t{4992})));  // 10,000
  CHECK(Says("i" + Repeat(" + 1", 5000), "10000 nodes"));                             // 10,001
  CHECK(Says("min(1" + Repeat(", 1", 10'000) + ")", "10000 nodes"));
}

TEST_CASE("10 MB of text are answered") {
  constexpr std::size_t kBytes = 10'000'000;
  CHECK(Says("1" + Repeat("+1", kBytes / 2), "10000 nodes"));
  CHECK(Says(Repeat("(", kBytes), "64 deep"));
  CHECK(Says(Repeat("a", kBytes), "unknown key"));
  CHECK(Says("'" + Repeat("a", kBytes), "no closing quote"));
  CHECK(Says(Repeat("1", kBytes), "64 bits"));
  CHECK(Says(Repeat("a", kBytes) + "(1)", "unknown function"));
  CHECK(Says("E." + Repeat("a", kBytes), "catch body only"));
  CHECK(Says("s == '" + Repeat("é", kBytes / 2) + "' $", "unexpected character"));
  CHECK(SameValue(ValueOf("i in [7" + Repeat(",1", kBytes / 2) + "]"), Value(true)));
}

TEST_CASE("many problems of a long text are told quickly") {
  std::string text = "nope1";
  for (int i = 0; i < 4000; ++i) text += " + nope" + std::to_string(i) + std::string(500, ' ');
  const std::vector<Error> problems = ProblemsOf(text, RowScope());
  CHECK(problems.size() == 4001);
}

TEST_CASE("an expression with very many live registers is evaluated") {
  // Every argument is computed before the first is read.
  const RowSet rows =
      Rows({{"i", std::vector<Value>(300, std::int64_t{2})}, {"f", std::vector<Value>(300, 0.5)}});
  const std::vector<Value> sums = ColumnOf("max(0" + Repeat(", i * 2 + f", 1800) + ")", rows);
  for (const Value& value : sums) REQUIRE(SameValue(value, Value(4.5)));
  const std::vector<Value> texts =
      ColumnOf("len(concat(''" + Repeat(", text(i)", 3000) + "))", rows);
  for (const Value& value : texts) REQUIRE(SameValue(value, Value(std::int64_t{3000})));
}

TEST_CASE("an IR too deep or too large is a clean problem") {
  std::string deep = R"({"op":"key_ref","key_id":"i"})";
  for (int level = 1; level < 64; ++level) deep = R"({"op":"neg","a":)" + deep + "}";
  (void)CompileIrOk(deep, RowScope());
  const std::vector<Error> problems = IrProblemsOf(R"({"op":"neg","a":)" + deep + "}", RowScope());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.find("64 deep") != std::string::npos);
  CHECK(problems[0].pointer == Repeat("/a", 64));

  std::string args = R"({"op":"const_number","value":1})";
  const std::string wide =
      R"({"op":"call","fn":"max","args":[)" + args + Repeat("," + args, 10'000) + "]}";
  const std::vector<Error> too_many = IrProblemsOf(wide, RowScope());
  REQUIRE(too_many.size() == 1);
  CHECK(too_many[0].message.find("10000 nodes") != std::string::npos);
  CHECK(too_many[0].pointer == "/args/10000");
}

}  // namespace
}  // namespace rankd::test
