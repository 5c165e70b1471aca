// Aggregates: what each is over rows, over none, over groups; compared with plain loops.
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/expr/support.h"

namespace rankd::test {
namespace {

__extension__ using Wide = __int128;

TEST_CASE("aggregates over rows") {
  const RowSet rows = Rows({{"i", {I(3), Value(), I(1), I(3)}},
                            {"f", {0.5, -2.0, Value(), 0.5}},
                            {"b", {true, Value(), true, true}},
                            {"c", {true, true, true, true}},
                            {"s", {S("b"), S("a"), Value(), S("é")}},
                            {"t", {Value(), S("x"), S("y"), Value()}}});
  struct Case {
    std::string text;
    Value value;
  };
  const Case cases[] = {
      {"count()", I(4)},
      {"sum(i)", I(7)},
      {"sum(f)", -1.0},
      {"mean(i)", 7.0 / 3},
      {"mean(f)", -1.0 / 3},
      {"lowest(i)", I(1)},
      {"highest(i)", I(3)},
      {"lowest(f)", -2.0},
      {"highest(s)", S("é")},
      {"lowest(s)", S("a")},
      {"first(i)", I(3)},
      {"last(i)", I(3)},
      {"first(t)", {}},
      {"last(t)", {}},
      {"first(s)", S("b")},
      {"last(s)", S("é")},
      {"last(b)", true},
      {"all(b)", false},  // a null is false
      {"any(b)", true},
      {"all(c)", true},
      {"all(i > 0)", false},
      {"any(i > 5)", false},
      {"sum(if(is_null(i), 1, 0))", I(1)},
      {"sum(i + 1)", I(10)},
      {"sum(2)", I(8)},
      {"sum(null)", I(0)},
      {"mean(null)", {}},
      {"lowest(null)", {}},
      {"first(null)", {}},
      {"all(null)", false},
      {"sum(absent_i)", I(0)},
      {"highest(absent_s)", {}},
      {"any(contains(s, 'a'))", true},
      {"sum(i) / count()", 1.75},
      {"if(all(c), sum(i), 0)", I(7)},
      {"floor(count() / 3) + 1", I(2)},
      {"concat(first(s), '-', text(count()))", S("b-4")},
      {"lower(highest(concat(s, 'X')))", S("éx")},
      {"first(s) == 'b' && any(f < 0)", true},
      {"count() in [4]", true},
      {"1 + 2", I(3)},
      {"coalesce(lowest(absent_f), 9)", 9.0},
      {"first(s) in ['b']", true},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    const Value got = ScalarOf(test.text, rows);
    CHECK_MESSAGE(SameValue(got, test.value), Show(got));
  }
}

TEST_CASE("over no rows: count 0, sum 0, all true, any false, the rest null") {
  const RowSet carried = Rows({{"i", {}}, {"f", {}}, {"b", {}}, {"s", {}}});
  for (const RowSet& rows : {carried, RowSet()}) {
    CHECK(ScalarOf("count()", rows) == I(0));
    CHECK(SameValue(ScalarOf("sum(i)", rows), I(0)));
    CHECK(SameValue(ScalarOf("sum(f)", rows), 0.0));
    CHECK(ScalarOf("all(b)", rows) == Value(true));
    CHECK(ScalarOf("any(b)", rows) == Value(false));
    for (const char* text :
         {"mean(i)", "lowest(f)", "highest(i)", "first(s)", "last(b)", "lowest(s)", "mean(f)"}) {
      CHECK(IsNull(ScalarOf(text, rows)));
    }
  }
}

TEST_CASE("over nulls only: sum 0, the rest null") {
  const RowSet rows = Rows({{"i", {Value(), Value()}}, {"f", {Value(), Value()}}});
  CHECK(ScalarOf("count()", rows) == I(2));
  CHECK(ScalarOf("sum(i)", rows) == I(0));
  CHECK(ScalarOf("sum(f)", rows) == Value(0.0));
  CHECK(IsNull(ScalarOf("mean(i)", rows)));
  CHECK(IsNull(ScalarOf("lowest(i)", rows)));
  CHECK(IsNull(ScalarOf("highest(f)", rows)));
}

TEST_CASE("int sums are exact, and null only when the total does not fit") {
  CHECK(ScalarOf("sum(i)", Rows({{"i", {I(kMaxInt), I(kMaxInt), I(-kMaxInt)}}})) == I(kMaxInt));
  CHECK(ScalarOf("sum(i)", Rows({{"i", {I(kMinInt), I(kMinInt), I(kMaxInt), I(1)}}})) ==
        I(kMinInt));
  CHECK(IsNull(ScalarOf("sum(i)", Rows({{"i", {I(kMaxInt), I(1)}}}))));
  CHECK(IsNull(ScalarOf("sum(i)", Rows({{"i", {I(kMinInt), I(-1)}}}))));
  CHECK(ScalarOf("mean(i)", Rows({{"i", {I(kMaxInt), I(kMaxInt)}}})) ==
        Value(9223372036854775808.0));
}

TEST_CASE("float sums are compensated, and null when not finite") {
  CHECK(ScalarOf("sum(f)", Rows({{"f", {1.0, 1e100, 1.0, -1e100}}})) == Value(2.0));
  CHECK(ScalarOf("mean(f)", Rows({{"f", {1.0, 1e100, 1.0, -1e100}}})) == Value(0.5));
  CHECK(ScalarOf("sum(f)", Rows({{"f", std::vector<Value>(10, 0.1)}})) == Value(1.0));
  CHECK(IsNull(ScalarOf("sum(f)", Rows({{"f", {1e308, 1e308}}}))));
  CHECK(IsNull(ScalarOf("mean(f)", Rows({{"f", {1e308, 1e308}}}))));
}

TEST_CASE("lowest and highest keep the first of equals") {
  CHECK(SameValue(ScalarOf("lowest(f)", Rows({{"f", {-0.0, 0.0}}})), Value(-0.0)));
  CHECK(SameValue(ScalarOf("highest(f)", Rows({{"f", {0.0, -0.0}}})), Value(0.0)));
}

TEST_CASE("a scalar has its target's type") {
  ExpressionScope scope = ScalarScope();
  scope.target = ValueType::kFloat;
  const BoundExpression bound = BindOk(CompileOk("count()", scope), Params());
  CHECK(bound.EvaluateScalar(Rows({{"i", {I(1)}}}), StopToken()).value() == Value(1.0));
  scope.target = ValueType::kInt;
  CHECK(ProblemsOf("mean(i)", scope)[0].message.find("floor() and round()") != std::string::npos);
}

/// What the aggregate is, said with plain loops over one group's values.
Value Naive(const std::string& function, const std::vector<Value>& values, ValueType type) {
  std::vector<Value> present;
  for (const Value& value : values) {
    if (!IsNull(value)) present.push_back(value);
  }
  if (function == "first") return values.empty() ? Value() : values.front();
  if (function == "last") return values.empty() ? Value() : values.back();
  if (function == "sum" && type == ValueType::kInt) {
    Wide sum = 0;
    for (const Value& value : present) sum += std::get<std::int64_t>(value);
    if (sum > kMaxInt || sum < kMinInt) return {};
    return static_cast<std::int64_t>(sum);
  }
  if (function == "sum" || function == "mean") {
    double sum = 0;
    double c = 0;
    for (const Value& value : present) {
      const auto* integer = std::get_if<std::int64_t>(&value);
      const double x = integer ? static_cast<double>(*integer) : std::get<double>(value);
      const double t = sum + x;
      c += std::abs(sum) >= std::abs(x) ? (sum - t) + x : (x - t) + sum;
      sum = t;
    }
    if (function == "mean" && present.empty()) return {};
    const double result =
        function == "sum" ? sum + c : (sum + c) / static_cast<double>(present.size());
    return std::isfinite(result) ? Value(result) : Value();
  }
  std::optional<Value> best;
  for (const Value& value : present) {
    if (!best || (function == "lowest" ? value < *best : *best < value)) best = value;
  }
  return best.value_or(Value());
}

void CheckGroups(const std::string& function, const std::string& key, const RowSet& rows,
                 const std::vector<std::uint32_t>& groups, std::size_t count) {
  const std::string text = function + "(" + key + ")";
  CAPTURE(text);
  const ValueType type = TestSchema().key(KeyNamed(key)).type;
  const BoundExpression bound = BindOk(CompileOk(text, ScalarScope()), Params());
  const ColumnRef column = bound.EvaluateGrouped(rows, groups, count, StopToken()).value();
  REQUIRE(column->size() == count);
  const Column& source = *rows.Find(KeyNamed(key));
  std::vector<Value> all;
  std::vector<std::vector<Value>> by_group(count);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    all.push_back(source.At(rows.BaseRow(row)));
    by_group[groups[row]].push_back(all.back());
  }
  for (std::size_t group = 0; group < count; ++group) {
    const Value wanted = Naive(function, by_group[group], type);
    CHECK_MESSAGE(SameValue(column->At(group), wanted),
                  group << ": " << Show(column->At(group)) << ", not " << Show(wanted));
  }
  CHECK(SameValue(ScalarOf(text, rows), Naive(function, all, type)));
}

TEST_CASE("grouped aggregates agree with plain loops") {
  std::mt19937 random(5);
  for (const std::size_t length : {0U, 1U, 63U, 64U, 65U, 1025U, 2500U}) {
    for (const bool select : {false, true}) {
      RowSet rows = RandomRows(random, length);
      if (select && length > 0) rows = RandomSelection(random, rows);
      const std::size_t count = 1 + random() % 40;  // some stay empty
      std::vector<std::uint32_t> groups(rows.rows());
      for (std::uint32_t& group : groups) group = static_cast<std::uint32_t>(random() % count);
      for (const char* function : {"sum", "mean", "lowest", "highest", "first", "last"}) {
        for (const char* key : {"i", "j", "f", "g"}) {
          CheckGroups(function, key, rows, groups, count);
        }
      }
      for (const char* function : {"lowest", "highest", "first", "last"}) {
        for (const char* key : {"s", "t"}) CheckGroups(function, key, rows, groups, count);
      }
      for (const char* key : {"b", "c"}) CheckGroups("first", key, rows, groups, count);
    }
  }
}

TEST_CASE("the outer part of a grouped scalar is evaluated for each group") {
  const RowSet rows = Rows(
      {{"i", {I(1), I(2), I(3), I(4), I(5)}}, {"s", {S("a"), S("b"), S("a"), S("b"), Value()}}});
  const std::vector<std::uint32_t> groups = {0, 1, 0, 1, 3};
  const auto grouped = [&](const char* text) {
    const BoundExpression bound = BindOk(CompileOk(text, ScalarScope()), Params());
    return ValuesOf(*bound.EvaluateGrouped(rows, groups, 4, StopToken()).value());
  };
  CHECK(grouped("count()") == std::vector<Value>{I(2), I(2), I(0), I(1)});
  CHECK(grouped("sum(i) * 10 + count()") == std::vector<Value>{I(42), I(62), I(0), I(51)});
  CHECK(grouped("concat(first(s), text(sum(i)))") ==
        std::vector<Value>{S("a4"), S("b6"), Value(), Value()});
  CHECK(grouped("first(s) == 'a'") == std::vector<Value>{true, false, false, false});
  CHECK(grouped("all(i > 2)") == std::vector<Value>{false, false, true, true});
  CHECK(grouped("first(s)") == std::vector<Value>{S("a"), S("b"), Value(), Value()});
  CHECK(grouped("7") == std::vector<Value>{I(7), I(7), I(7), I(7)});
  const BoundExpression bound = BindOk(CompileOk("sum(i)", ScalarScope()), Params());
  CHECK(bound.EvaluateGrouped(RowSet(), {}, 0, StopToken()).value()->size() == 0);
  CHECK(ValuesOf(*bound.EvaluateGrouped(RowSet(), {}, 2, StopToken()).value()) ==
        std::vector<Value>{I(0), I(0)});
}

}  // namespace
}  // namespace rankd::test
