// The null rules, one by one, and the edges of numbers. In ValueOf's row j, g, c, t are null.
#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "tests/expr/support.h"

namespace rankd::test {
namespace {

struct NullCase {
  std::string text;
  Value value;
};

template <std::size_t kCount>
void CheckAll(const NullCase (&cases)[kCount]) {
  for (const NullCase& test : cases) {
    CAPTURE(test.text);
    const Value got = ValueOf(test.text);
    CHECK_MESSAGE(SameValue(got, test.value), Show(got) << ", not " << Show(test.value));
  }
}

TEST_CASE("rule 1: functions of a null are null, with the exceptions named") {
  const NullCase cases[] = {
      {"j + 1", {}},
      {"1 - j", {}},
      {"j * 0", {}},
      {"g / 2", {}},
      {"j % 2", {}},
      {"-j", {}},
      {"abs(g)", {}},
      {"floor(g)", {}},
      {"sqrt(j)", {}},
      {"pow(j, 0)", {}},
      {"pow(1, j)", {}},
      {"clamp(j, 0, 1)", {}},
      {"clamp(i, j, 9)", {}},
      {"clamp(i, 0, j)", {}},
      {"clamp(i, 0, null)", {}},
      {"len(t)", {}},
      {"lower(t)", {}},
      {"text(j)", {}},
      {"text(c)", {}},
      {"concat(s, t)", {}},
      {"concat(s, null)", {}},
      {"coalesce(j, i)", I(7)},
      {"coalesce(j, g)", {}},
      {"coalesce(j, f)", 0.5},
      {"coalesce(i, f)", 7.0},
      {"coalesce(null, null, 3)", I(3)},
      {"is_null(j)", true},
      {"is_null(i)", false},
      {"not_null(j)", false},
      {"not_null(t)", false},
      {"is_null(t)", true},
      {"regex(t, '')", false},
      {"starts_with(t, 'a')", false},
      {"starts_with(s, t)", false},
      {"ends_with(t, '')", false},
      {"contains(t, '')", false},
      {"contains(s, null)", false},
      {"!regex(t, '')", true},
      {"min(j, 3)", I(3)},
      {"min(3, j)", I(3)},
      {"max(j, null)", {}},
      {"max(j, g, f)", 0.5},
      {"min(i, g)", 7.0},
  };
  CheckAll(cases);
}

TEST_CASE("rule 2: what cannot be represented is null") {
  const NullCase cases[] = {
      {"1 / 0", {}},
      {"0 / 0", {}},
      {"1.5 / 0.0", {}},
      {"5 % 0", {}},
      {"5.5 % 0", {}},
      {"9223372036854775807 + 1", {}},
      {"9223372036854775807 + 0", I(kMaxInt)},
      {"-9223372036854775808 - 1", {}},
      {"-9223372036854775808 + -1", {}},
      {"9223372036854775807 * 2", {}},
      {"3037000500 * 3037000500", {}},
      {"-(-9223372036854775808)", {}},
      {"abs(-9223372036854775808)", {}},
      {"abs(-9223372036854775807)", I(kMaxInt)},
      {"-9223372036854775808 / -1", 9223372036854775808.0},
      {"-9223372036854775808 % -1", I(0)},
      {"7 % -1", I(0)},
      {"-7 % 4", I(-3)},
      {"7 % -4", I(3)},
      {"-7.5 % 2", -1.5},
      {"1e308 * 10", {}},
      {"1e308 + 1e308", {}},
      {"exp(710)", {}},
      {"exp(-1000)", 0.0},
      {"pow(10, 309)", {}},
      {"pow(0, -1)", {}},
      {"pow(-8, 0.5)", {}},
      {"pow(2, -7)", 0.0078125},
      {"sqrt(-1)", {}},
      {"log(0)", {}},
      {"log(-1)", {}},
      {"log1p(-1)", {}},
      {"floor(1e19)", {}},
      {"ceil(-1e19)", {}},
      {"round(9223372036854775808.0)", {}},
      {"floor(-9223372036854775808.0)", I(kMinInt)},
      {"floor(9223372036854774784.0)", I(9223372036854774784)},
      {"floor(9223372036854775807)", I(kMaxInt)},
      {"is_null(1 / 0)", true},
      {"coalesce(1 / 0, 2)", 2.0},
      {"max(1 / 0, 2)", 2.0},
      {"(1 / 0) > 0", false},
  };
  CheckAll(cases);
}

TEST_CASE("rule 3: comparing with null is false and null is no truth") {
  const NullCase cases[] = {
      {"j == 1", false},
      {"j != 1", false},
      {"j < 1", false},
      {"j >= 1", false},
      {"j == j", false},
      {"j != j", false},
      {"t == 'x'", false},
      {"t != 'x'", false},
      {"c == true", false},
      {"c != true", false},
      {"j == null", true},
      {"null == j", true},
      {"i == null", false},
      {"j != null", false},
      {"i != null", true},
      {"null != i", true},
      {"null == null", true},
      {"null != null", false},
      {"j < null", false},
      {"i >= null", false},
      {"null < 1", false},
      {"i == coalesce(null, null)", false},
      {"j == (null)", true},
      {"null in [1, null]", false},
      {"j in [1, null]", false},
      {"t in ['x', null]", false},
      {"i in [7, null]", true},
      {"i in [null]", false},
      {"!(j > 5)", true},
      {"!c", true},
      {"!null", true},
      {"c && true", false},
      {"c || true", true},
      {"c || c", false},
      {"c", {}},
      {"if(c, 1, 2)", I(2)},
      {"if(null, 1, 2)", I(2)},
      {"if(b, c, true)", {}},
      {"if(b, null, 2)", {}},
      {"coalesce(c, false)", false},
  };
  CheckAll(cases);
}

TEST_CASE("numbers compare exactly as ints and as floats when one is") {
  const NullCase cases[] = {
      {"9007199254740993 == 9007199254740992", false},
      {"9007199254740993 == 9007199254740992.0", true},
      {"9007199254740993 > 9007199254740992.0", false},
      {"9223372036854775807 == 9223372036854775808.0", true},
      {"9223372036854775807 > 9223372036854775806", true},
      {"9007199254740993 in [9007199254740992]", false},
      {"9007199254740993 in [9007199254740992.0]", true},
      {"9007199254740993 in [1, 2, 3, 4, 5, 6, 7, 8, 9, 9007199254740992]", false},
      {"0.0 == -0.0", true},
      {"0 == -0.0", true},
      {"-0.0 in [0]", true},
      {"0.5 in [1, 0.5]", true},
      {"1.0 in [1]", true},
      {"'a' < 'b'", true},
      {"'Z' < 'a'", true},
      {"'' < 'a'", true},
      {"'a' < 'aa'", true},
      {"'z' < 'é'", true},
      {"'a' == 'a'", true},
  };
  CheckAll(cases);
}

TEST_CASE("functions do what the contract says at their edges") {
  const NullCase cases[] = {
      {"round(0.5)", I(1)},
      {"round(-0.5)", I(-1)},
      {"round(2.5)", I(3)},
      {"round(-2.25)", I(-2)},
      {"round(0.49999999999999994)", I(0)},
      {"floor(-0.5)", I(-1)},
      {"ceil(-0.5)", I(0)},
      {"floor(i)", I(7)},
      {"-0.0", -0.0},
      {"-(0.0)", -0.0},
      {"0.0 * -1", -0.0},
      {"abs(-0.0)", 0.0},
      {"sqrt(-0.0)", -0.0},
      {"-0.0 + 0", 0.0},
      {"clamp(5, 0, 3)", I(3)},
      {"clamp(-5, 0, 3)", I(0)},
      {"clamp(5, 3, 0)", I(3)},  // max(lo, min(hi, x))
      {"clamp(0.5, 1, 0)", 1.0},
      {"sigmoid(0)", 0.5},
      {"sigmoid(1000)", 1.0},
      {"sigmoid(-1000)", 0.0},
      {"sigmoid(7)", 0.9990889488055994},
      {"sigmoid(-7)", 0.0009110511944006454},
      {"log1p(exp(-7) - 1)", -7.000000000000047},
      {"len('')", I(0)},
      {"len('été😀')", I(4)},
      {"lower('ABC É')", S("abc É")},
      {"text(7)", S("7")},
      {"text(-9223372036854775808)", S("-9223372036854775808")},
      {"text(0.1)", S("0.1")},
      {"text(1e16)", S("1e+16")},
      {"text(100000.0)", S("100000.0")},
      {"text(-0.0)", S("-0.0")},
      {"text(5e-324)", S("5e-324")},
      {"text(b)", S("true")},
      {"text(false)", S("false")},
      {"text(s)", S("Abc")},
      {"concat(s, '-', text(i))", S("Abc-7")},
      {"starts_with(s, '')", true},
      {"starts_with(s, 'Abcd')", false},
      {"ends_with(s, 'bc')", true},
      {"contains(s, 'b')", true},
      {"regex(s, 'b')", true},
      {"regex(s, '^b')", false},
      {"regex(s, '^a')", false},
      {"regex(s, '^a', 'i')", true},
      {"regex(s, '^a', '')", false},
      {"regex('été', '^.t.$')", true},
      {"regex('a\\nb', 'a.b')", false},
      {"min(2, 1.5)", 1.5},
      {"max(2, 1.5)", 2.0},
      {"7 / 2", 3.5},
      {"6 / 2", 3.0},
  };
  CheckAll(cases);
}

TEST_CASE("rule 5: a key that the rows do not carry reads as null") {
  const RowSet rows = Rows({{"i", {I(1), I(2)}}});
  CHECK(ColumnOf("absent_i", rows) == std::vector<Value>(2));
  CHECK(ColumnOf("absent_s", rows) == std::vector<Value>(2));
  CHECK(ColumnOf("i + absent_i", rows) == std::vector<Value>(2));
  CHECK(ColumnOf("coalesce(absent_i, i)", rows) == std::vector<Value>{I(1), I(2)});
  CHECK(ColumnOf("coalesce(absent_s, 'x')", rows) == std::vector<Value>{S("x"), S("x")});
  CHECK(ColumnOf("absent_s == 'x'", rows) == std::vector<Value>{false, false});
  CHECK(ColumnOf("absent_s == null", rows) == std::vector<Value>{true, true});
  CHECK(ColumnOf("max(i, absent_f)", rows) == std::vector<Value>{1.0, 2.0});
  CHECK(ColumnOf("if(absent_b, 1, 2)", rows) == std::vector<Value>{I(2), I(2)});
  ExpressionScope scope = RowScope();
  const BoundExpression filter = BindOk(CompileOk("absent_b", scope), Params());
  CHECK(filter.EvaluateFilter(rows, StopToken()).value().empty());
}

}  // namespace
}  // namespace rankd::test
