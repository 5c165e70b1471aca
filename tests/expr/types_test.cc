// Names and types: what each operator takes and gives, and what is told of the rest.
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/expr/support.h"

namespace rankd::test {
namespace {

TEST_CASE("every operator and function has the type of the contract") {
  struct Case {
    std::string text;
    std::optional<ValueType> type;
  };
  constexpr auto kInt = ValueType::kInt;
  constexpr auto kFloat = ValueType::kFloat;
  constexpr auto kBool = ValueType::kBool;
  constexpr auto kString = ValueType::kString;
  const Case cases[] = {
      {"i + j", kInt},
      {"i + f", kFloat},
      {"f * i", kFloat},
      {"i % j", kInt},
      {"i % f", kFloat},
      {"-i", kInt},
      {"-f", kFloat},
      {"i / j", kFloat},
      {"i / null", kFloat},
      {"i + null", kInt},
      {"null + f", kFloat},
      {"null", std::nullopt},
      {"null + null", std::nullopt},
      {"-null", std::nullopt},
      {"sqrt(i)", kFloat},
      {"exp(i)", kFloat},
      {"log(i)", kFloat},
      {"log1p(i)", kFloat},
      {"pow(i, j)", kFloat},
      {"sigmoid(i)", kFloat},
      {"sqrt(null)", kFloat},
      {"floor(f)", kInt},
      {"ceil(i)", kInt},
      {"round(f)", kInt},
      {"floor(null)", kInt},
      {"abs(i)", kInt},
      {"abs(f)", kFloat},
      {"clamp(i, 0, 1)", kInt},
      {"clamp(i, 0, 1.0)", kFloat},
      {"clamp(f, 0, 1)", kFloat},
      {"min(i, j)", kInt},
      {"min(i, f)", kFloat},
      {"max(null, i)", kInt},
      {"coalesce(i, f)", kFloat},
      {"coalesce(null, s)", kString},
      {"coalesce(b)", kBool},
      {"if(b, i, f)", kFloat},
      {"if(null, i, null)", kInt},
      {"if(b, null, null)", std::nullopt},
      {"if(b, s, 'x')", kString},
      {"i < f", kBool},
      {"s < t", kBool},
      {"b == c", kBool},
      {"b != null", kBool},
      {"s == null", kBool},
      {"null == null", kBool},
      {"null < 3", kBool},
      {"i in [1, 2.5, null]", kBool},
      {"f in [1]", kBool},
      {"s in ['x']", kBool},
      {"b in [true]", kBool},
      {"i in []", kBool},
      {"!null", kBool},
      {"b && null", kBool},
      {"is_null(i)", kBool},
      {"not_null(null)", kBool},
      {"regex(s, 'x')", kBool},
      {"regex(s, P.ps, 'i')", kBool},
      {"regex(null, 'x', '')", kBool},
      {"contains(s, t)", kBool},
      {"contains(s, null)", kBool},
      {"lower(s)", kString},
      {"lower(null)", kString},
      {"len(s)", kInt},
      {"text(i)", kString},
      {"text(b)", kString},
      {"text(null)", kString},
      {"concat(s)", kString},
      {"concat(s, text(f), P.ps)", kString},
      {"P.pi + 1", kInt},
      {"P.pf", kFloat},
      {"old", kInt},
      {"id", kInt},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    CHECK(TypeOf(*CompileOk(test.text, RowScope())) == test.type);
  }
}

struct BadCase {
  std::string text;
  std::vector<const char*> says;  ///< One for each problem, in order.
};

void CheckBad(const BadCase& test, const ExpressionScope& scope) {
  CAPTURE(test.text);
  const std::vector<Error> problems = ProblemsOf(test.text, scope);
  CHECK(problems.size() == test.says.size());
  for (std::size_t i = 0; i < std::min(problems.size(), test.says.size()); ++i) {
    CAPTURE(problems[i].message);
    CHECK(problems[i].message.find(test.says[i]) != std::string::npos);
  }
}

TEST_CASE("what does not fit is a problem, and all problems are told") {
  const BadCase cases[] = {
      {"s + 1", {"column 3: \"+\" needs numbers, not string; concat()"}},
      {"b * 2", {"\"*\" needs numbers, not bool"}},
      {"-s", {"\"-\" needs numbers, not string"}},
      {"!i", {"\"!\" needs a bool, not int"}},
      {"i && b", {"\"&&\" needs a bool, not int"}},
      {"b || s", {"\"||\" needs a bool, not string"}},
      {"s > 3", {"column 3: \">\" cannot compare string with int"}},
      {"s == b", {"cannot compare string with bool"}},
      {"b == 1", {"cannot compare bool with int"}},
      {"b < c", {"bools have no order"}},
      {"b <= null", {"bools have no order"}},
      {"i in ['x']", {"column 7: \"in\" cannot compare int with string"}},
      {"s in [1, 'x', 2]", {"column 7: \"in\" cannot compare string with int"}},
      {"b in [1]", {"cannot compare bool with int"}},
      {"f in [true]", {"cannot compare float with bool"}},
      {"if(i, 1, 2)", {"if() needs a bool as argument 1, not int"}},
      {"if(b, 1, 'x')", {"if() needs values of one type, not int and string"}},
      {"coalesce(i, s)", {"coalesce() needs values of one type, not int and string"}},
      {"coalesce(b, i)", {"not bool and int"}},
      {"min(s, t)", {"min() needs numbers, not string"}},
      {"max(i)", {"max() takes at least 2 arguments, not 1"}},
      {"abs(b)", {"abs() needs numbers, not bool"}},
      {"round(i, 2, 3)", {"round() takes 1 argument, not 3"}},
      {"pow(i)", {"pow() takes 2 arguments, not 1"}},
      {"regex(s)", {"regex() takes 2 to 3 arguments, not 1"}},
      {"coalesce()", {"coalesce() takes at least 1 argument, not 0"}},
      {"regex(i, 'x')", {"regex() needs a string as argument 1, not int"}},
      {"regex(s, t)", {"column 10: the pattern of a regex is a string literal or a string param"}},
      {"regex(s, 'a' )", {}},
      {"regex(s, '(')", {"column 10: bad regex"}},
      {"regex(s, 'x', 'g')", {"column 15: the flags of a regex are"}},
      {"regex(s, 'x', P.ps)", {"the flags of a regex are"}},
      {"regex(s, P.pi)", {"the pattern of a regex is a string, not int"}},
      {"regex(s, null)", {"the pattern of a regex is a string literal"}},
      {"starts_with(s, 1)", {"starts_with() needs a string as argument 2, not int"}},
      {"len(i)", {"len() needs a string, not int"}},
      {"lower(f)", {"lower() needs a string, not float"}},
      {"concat(s, i)", {"concat() needs a string as argument 2, not int; text()"}},
      {"nn + 1", {"column 1: unknown key \"nn\""}},
      {"absent_x + 1", {"unknown key \"absent_x\", did you mean \"absent_"}},
      {"pi + 1", {"the param of that name is P.pi"}},
      {"P.nope", {"column 1: unknown param \"nope\""}},
      {"P.blockd", {"did you mean \"blocked\"?"}},
      {"ln(f)", {"unknown function \"ln\"; the natural logarithm is log"}},
      {"flor(i)", {"unknown function \"flor\", did you mean \"floor\"?"}},
      {"gone + 1", {"the key \"gone\" is blocked"}},
      {"P.blocked", {"the param \"blocked\" is blocked"}},
      {"L.i", {"unknown loop variable \"i\""}},
      {"E.code", {"known in a catch body only"}},
      {"count()", {"count() is an aggregate"}},
      {"i > mean(i)", {"column 5: mean() is an aggregate"}},
      {"(s + 1) * b + nn", {"needs numbers, not string", "needs numbers, not bool", "unknown key"}},
      {"nope(nn, s + 1) && 5",
       {"unknown function", "unknown key", "needs numbers", "needs a bool"}},
      {"nn + mm > 1 && nope(i) < 3", {"\"nn\"", "\"mm\"", "\"nope\""}},
  };
  for (const BadCase& test : cases) {
    if (test.says.empty()) {
      (void)CompileOk(test.text, RowScope());
    } else {
      CheckBad(test, RowScope());
    }
  }
}

TEST_CASE("the target says which types a result may have") {
  struct Case {
    std::string text;
    ValueType target;
    bool ok;
  };
  const Case cases[] = {
      {"i", ValueType::kFloat, true},    {"f", ValueType::kInt, false},
      {"null", ValueType::kInt, true},   {"null", ValueType::kString, true},
      {"i", ValueType::kBool, false},    {"b", ValueType::kInt, false},
      {"s", ValueType::kString, true},   {"s", ValueType::kFloat, false},
      {"i > 1", ValueType::kBool, true}, {"f", ValueType::kFloat, true},
      {"i / 2", ValueType::kInt, false}, {"floor(i / 2)", ValueType::kInt, true},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    ExpressionScope scope = RowScope();
    scope.target = test.target;
    scope.target_name = "the key \"x\"";
    if (test.ok) {
      CHECK(TypeOf(*CompileOk(test.text, scope)) == test.target);
    } else {
      const std::vector<Error> problems = ProblemsOf(test.text, scope);
      REQUIRE(problems.size() == 1);
      CHECK(problems[0].message.find("does not suit the key \"x\"") != std::string::npos);
    }
  }
}

TEST_CASE("an int becomes the nearest float, ties to even, whatever its size") {
  std::vector<Value> ints = {kMaxInt, kMinInt, kMinInt + 1, I(0), I(-1), I(1)};
  std::mt19937_64 random(7);
  for (int bits = 1; bits < 64; ++bits) {
    const std::int64_t power = std::int64_t{1} << (bits - 1);
    for (const std::int64_t around : {-2, -1, 0, 1, 2}) {
      ints.push_back(power + around);
      ints.push_back(-power - around);
      // Half way between two floats, where there are such, and beside it.
      const std::int64_t half = bits > 54 ? power + (power >> 53) : power;
      ints.push_back(half + around);
    }
    for (int i = 0; i < 20; ++i) {
      const auto any = static_cast<std::int64_t>(random() >> (64 - bits));
      ints.push_back(any);
      ints.push_back(-any);
    }
  }
  const std::vector<Value> floats = ColumnOf("i * 1.0", Rows({{"i", ints}}));
  REQUIRE(floats.size() == ints.size());
  for (std::size_t i = 0; i < ints.size(); ++i) {
    CAPTURE(std::get<std::int64_t>(ints[i]));
    CHECK(floats[i] == Value(static_cast<double>(std::get<std::int64_t>(ints[i]))));
  }
}

TEST_CASE("a column has the target's type, ints made floats") {
  ExpressionScope scope = RowScope();
  scope.target = ValueType::kFloat;
  const RowSet rows = Rows({{"i", {std::int64_t{1}, Value(), std::int64_t{9007199254740993}}}});
  for (const char* text : {"i", "i + 0", "max(i, i)"}) {
    const BoundExpression bound = BindOk(CompileOk(text, scope), Params());
    const ColumnRef column = bound.EvaluateColumn(rows, StopToken()).value();
    CHECK(column->type() == ValueType::kFloat);
    CHECK(ValuesOf(*column) == std::vector<Value>{1.0, Value(), 9007199254740992.0});
  }
  scope.target = ValueType::kString;
  const ColumnRef nulls =
      BindOk(CompileOk("null", scope), Params()).EvaluateColumn(rows, StopToken()).value();
  CHECK(nulls->type() == ValueType::kString);
  CHECK(ValuesOf(*nulls) == std::vector<Value>(3));
}

TEST_CASE("an expression knows the keys and params it reads") {
  const ExpressionRef compiled =
      CompileOk("t == 'x' && i + P.pi > f || i < 3 && regex(s, P.ps)", RowScope());
  const auto keys = KeysRead(*compiled);
  CHECK(std::vector<KeyId>(keys.begin(), keys.end()) ==
        std::vector<KeyId>{KeyNamed("i"), KeyNamed("f"), KeyNamed("s"), KeyNamed("t")});
  const auto params = ParamsRead(*compiled);
  CHECK(std::vector<ParamId>(params.begin(), params.end()) ==
        std::vector<ParamId>{ParamNamed("pi"), ParamNamed("ps")});
  CHECK(CostPerRow(*compiled) > 0);
  CHECK(CostPerRow(*CompileOk("pow(f, g) + exp(f)", RowScope())) >
        CostPerRow(*CompileOk("f + g", RowScope())));
}

TEST_CASE("names and places of scalar expressions are checked") {
  const BadCase cases[] = {
      {"i + 1", {"column 1: the key \"i\" has a value for each row"}},
      {"count + 1", {"column 1: unknown key \"count\"; the function of that name is count()"}},
      {"sum(i) + j", {"column 10: the key \"j\""}},
      {"sum(count())", {"aggregates do not nest; count()"}},
      {"sum(i + mean(j))", {"do not nest"}},
      {"count(i)", {"count() takes 0 arguments, not 1"}},
      {"sum()", {"sum() takes 1 argument, not 0"}},
      {"sum(s)", {"sum() needs numbers, not string"}},
      {"mean(b)", {"mean() needs numbers, not bool"}},
      {"lowest(b)", {"lowest() needs numbers or strings, not bool"}},
      {"all(i)", {"all() needs a bool, not int"}},
      {"any(s)", {"any() needs a bool, not string"}},
      {"summ(i) + sum(nn)", {"unknown function \"summ\", did you mean \"sum\"?", "unknown key"}},
      {"first(s) + 1", {"needs numbers, not string"}},
  };
  for (const BadCase& test : cases) CheckBad(test, ScalarScope());
}

}  // namespace
}  // namespace rankd::test
