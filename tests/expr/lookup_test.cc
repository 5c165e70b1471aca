// String parts evaluated by dictionary entry: the same answers however large the dictionary is,
// and results that are proper columns.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/thread_slot.h"
#include "engine/expr/input.h"
#include "tests/expr/support.h"

namespace rankd::test {
namespace {

/// `count` rows, s = "v0", "v1", … with `distinct` different values, every 7th null.
RowSet Numbered(std::size_t count, std::size_t distinct) {
  std::vector<Value> strings;
  std::vector<Value> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    strings.push_back(i % 7 == 6 ? Value() : Value("V" + std::to_string(i % distinct)));
    numbers.push_back(static_cast<std::int64_t>(i));
  }
  return Rows({{"s", std::move(strings)}, {"i", std::move(numbers)}});
}

std::string LowerText(const Value& value) {
  std::string text = std::get<std::string>(value);
  text[0] = 'v';
  return text;
}

void CheckStrings(const RowSet& rows) {
  const std::vector<Value> s = ColumnOf("s", rows);
  const std::vector<Value> lower = ColumnOf("lower(s)", rows);
  const std::vector<Value> predicate = ColumnOf("ends_with(s, '3') || s == null", rows);
  const std::vector<Value> filled = ColumnOf("coalesce(lower(s), 'none')", rows);
  const std::vector<Value> mixed = ColumnOf("if(i % 2 == 0, lower(s), text(len(s) + i))", rows);
  const std::vector<Value> numbers = ColumnOf("i", rows);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const bool null = IsNull(s[row]);
    REQUIRE(lower[row] == (null ? Value() : Value(LowerText(s[row]))));
    REQUIRE(predicate[row] == Value(null || std::get<std::string>(s[row]).ends_with('3')));
    REQUIRE(filled[row] == (null ? Value(std::string("none")) : lower[row]));
    const auto number = std::get<std::int64_t>(numbers[row]);
    if (number % 2 == 0) {
      REQUIRE(mixed[row] == lower[row]);
    } else if (null) {
      REQUIRE(IsNull(mixed[row]));
    } else {
      const auto length = static_cast<std::int64_t>(std::get<std::string>(s[row]).size());
      REQUIRE(mixed[row] == Value(std::to_string(length + number)));
    }
  }
}

TEST_CASE("small, middling and huge dictionaries give the same answers") {
  const RowSet few = Numbered(3000, 5);
  const RowSet many = Numbered(3000, 3000);
  CheckStrings(few);
  CheckStrings(many);
  // Selected down: to a third, to a fiftieth of the dictionary, to one row, to none.
  for (const std::size_t step : {3U, 50U, 2999U, 100000U}) {
    auto selection = std::make_shared<Selection>();
    for (std::size_t i = step == 100000 ? 3000 : 1; i < 3000; i += step) {
      selection->push_back(static_cast<std::uint32_t>(2999 - i));
      if (step == 50) selection->push_back(static_cast<std::uint32_t>(2999 - i));
    }
    CheckStrings(many.WithSelection(selection));
    CheckStrings(few.WithSelection(selection));
  }
}

/// The values of `text`, compiled once, over each of `sets` in turn, three times around.
void CheckInTurns(std::string_view text, const std::vector<RowSet>& sets,
                  const std::vector<ParamValues>& params) {
  const ExpressionRef expression = CompileOk(text, RowScope());
  for (int round = 0; round < 3; ++round) {
    for (const ParamValues& given : params) {
      for (const RowSet& rows : sets) {
        const std::vector<Value> expected = ValuesOf(
            *BindOk(CompileOk(text, RowScope()), given).EvaluateColumn(rows, StopToken()).value());
        // Often enough for it to be remembered.
        for (int again = 0; again < 3; ++again) {
          const BoundExpression bound = BindOk(expression, given);
          REQUIRE(ValuesOf(*bound.EvaluateColumn(rows, StopToken()).value()) == expected);
        }
      }
    }
  }
}

TEST_CASE("what was looked up for one dictionary is not taken for another, nor of other params") {
  ClaimThreadSlot();
  const RowSet with_nulls = Numbered(100, 5);
  const ColumnRef nulls = *FindColumn(with_nulls, KeyNamed("s"));
  Column::Strings codes{{nulls->codes().begin(), nulls->codes().end()}, nulls->dictionary()};
  const RowSet same_dictionary =
      with_nulls.WithColumn(KeyNamed("s"), Column::Make(std::move(codes)));
  const std::vector<RowSet> sets = {with_nulls, same_dictionary, Numbered(90, 7),
                                    with_nulls.Slice(3, 2), Numbered(9000, 5000)};
  const std::vector<ParamValues> params = {Params(), Params({{"ps", std::string("V1")}}),
                                           Params({{"ps", std::string("V3")}})};
  for (const char* text :
       {"lower(s)", "s in ['V1', 'V4']", "s == P.ps", "regex(s, P.ps)", "regex(s, 'V[13]')",
        "coalesce(s, P.ps)", "concat(s, text(i))", "s == concat(P.ps, '')", "len(s) + i"}) {
    CAPTURE(text);
    CheckInTurns(text, sets,
                 text == std::string("regex(s, P.ps)")
                     ? std::vector<ParamValues>{params[1], params[2]}
                     : params);
  }
}

TEST_CASE("what is looked up for a dictionary that comes again is computed twice") {
  ClaimThreadSlot();
  const RowSet rows = Numbered(100, 5);
  const ExpressionRef expression = CompileOk("lower(s)", RowScope());
  std::set<const Dictionary*> made;
  std::vector<ColumnRef> columns;  // or another could lie where one lay
  for (int i = 0; i < 5; ++i) {
    columns.push_back(BindOk(expression, Params()).EvaluateColumn(rows, StopToken()).value());
    made.insert(columns.back()->dictionary().get());
  }
  CHECK(made.size() == 2);
}

TEST_CASE("a column without nulls and one of nulls only are looked up") {
  CHECK(ColumnOf("lower(s)", Rows({{"s", {std::string("A"), std::string("B")}}})) ==
        std::vector<Value>{std::string("a"), std::string("b")});
  CHECK(ColumnOf("lower(s)", Rows({{"s", {Value(), Value()}}})) == std::vector<Value>(2));
  CHECK(ColumnOf("s == null || s == 'x'", Rows({{"s", {Value()}}})) == std::vector<Value>{true});
}

void CheckDictionary(const Column& column) {
  REQUIRE(column.type() == ValueType::kString);
  const Dictionary& dictionary = *column.dictionary();
  std::set<std::string_view> seen;
  for (std::uint32_t code = 0; code < dictionary.size(); ++code) {
    REQUIRE(seen.insert(dictionary.At(code)).second);
  }
  for (const std::uint32_t code : column.codes()) {
    REQUIRE(code < std::max<std::size_t>(1, dictionary.size()));
  }
}

TEST_CASE("string results have dictionaries without repeats") {
  const RowSet rows = Numbered(2500, 40);
  auto selection = std::make_shared<Selection>();
  for (std::uint32_t i = 0; i < 2500; i += 3) selection->push_back(i);
  for (const char* text : {"s", "lower(s)", "concat(s, text(i % 3))", "if(i > 9, s, 'V1')",
                           "coalesce(s, lower(s), 'x')", "text(i)", "text(i > 3)", "'x'", "text(s)",
                           "concat('a', 'b')", "if(i > 9, 'a', concat('', 'a'))", "absent_s"}) {
    CAPTURE(text);
    for (const RowSet& each : {rows, rows.WithSelection(selection), rows.Slice(0, 0)}) {
      const BoundExpression bound = BindOk(CompileOk(text, RowScope()), Params());
      const ColumnRef column = bound.EvaluateColumn(each, StopToken()).value();
      REQUIRE(column->size() == each.rows());
      CheckDictionary(*column);
    }
  }
  const BoundExpression bound = BindOk(CompileOk("first(concat(s, 'x'))", ScalarScope()), Params());
  const std::vector<std::uint32_t> groups(2500, 0);
  CheckDictionary(*bound.EvaluateGrouped(rows, groups, 3, StopToken()).value());
}

TEST_CASE("a plain key is shared, not copied") {
  const RowSet rows = Numbered(100, 5);
  const BoundExpression bound = BindOk(CompileOk("s", RowScope()), Params());
  CHECK(bound.EvaluateColumn(rows, StopToken()).value().get() == rows.Find(KeyNamed("s")));
}

TEST_CASE("a filter keeps base rows, in the order of the selection") {
  const RowSet rows = Rows({{"i", {std::int64_t{5}, Value(), std::int64_t{7}, std::int64_t{9}}},
                            {"b", {true, Value(), false, true}}});
  const RowSet selected = rows.WithSelection(std::make_shared<Selection>(Selection{3, 3, 1, 0, 2}));
  const auto filter = [&](const char* text, const RowSet& over) {
    const BoundExpression bound = BindOk(CompileOk(text, RowScope()), Params());
    return bound.EvaluateFilter(over, StopToken()).value();
  };
  CHECK(filter("i > 5", rows) == Selection{2, 3});
  CHECK(filter("i > 5", selected) == Selection{3, 3, 2});
  CHECK(filter("b", rows) == Selection{0, 3});
  CHECK(filter("b", selected) == Selection{3, 3, 0});
  CHECK(filter("!b", selected) == Selection{1, 2});
  CHECK(filter("true", rows) == Selection{0, 1, 2, 3});
  CHECK(filter("true", selected) == Selection{3, 3, 1, 0, 2});
  CHECK(filter("false", selected).empty());
  CHECK(filter("null == null", rows).size() == 4);
  CHECK(filter("P.pb", rows).empty());
  CHECK(filter("i == null", selected) == Selection{1});
  ExpressionScope scope = RowScope();
  scope.target = ValueType::kBool;
  const BoundExpression null = BindOk(CompileOk("null", scope), Params());
  CHECK(null.EvaluateFilter(rows, StopToken()).value().empty());
}

}  // namespace
}  // namespace rankd::test
