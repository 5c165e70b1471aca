// Thousands of random expressions against the reference, in both notations.
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/thread_slot.h"
#include "tests/expr/random_tree.h"
#include "tests/expr/reference.h"
#include "tests/expr/support.h"

namespace rankd::test {
namespace {

/// The names of one row, as the reference wants them.
Names NamesOf(const RowSet& rows, std::size_t row, const ParamValues& params) {
  return [&rows, row, &params](const std::string& name) -> Value {
    if (name.starts_with("P.")) return params.Get(ParamNamed(name.substr(2)));
    const Column* column = rows.Find(KeyNamed(name));
    return column == nullptr ? Value() : column->At(rows.BaseRow(row));
  };
}

void CheckColumn(const Tree& tree, const RowSet& rows, const ParamValues& params,
                 const std::vector<Value>& got, const std::string& notation) {
  REQUIRE(got.size() == rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const Value wanted = Reference(tree, NamesOf(rows, row, params));
    if (SameValue(got[row], wanted)) continue;
    FAIL(notation, "\nrow ", row, ": ", Show(got[row]), ", not ", Show(wanted));
  }
}

void CheckTree(const Tree& tree, const RowSet& rows, const ParamValues& params) {
  const std::string text = ToText(tree);
  const std::string ir = ToIr(tree);
  INFO(text);
  const BoundExpression bound = BindOk(CompileOk(text, RowScope()), params);
  const Result<ColumnRef> column = bound.EvaluateColumn(rows, StopToken());
  REQUIRE(column.has_value());
  const std::vector<Value> values = ValuesOf(**column);
  CheckColumn(tree, rows, params, values, text);
  // What is remembered of the dictionaries gives the same.
  for (int again = 0; again < 2; ++again) {
    const Result<ColumnRef> repeated = bound.EvaluateColumn(rows, StopToken());
    REQUIRE(repeated.has_value());
    CheckColumn(tree, rows, params, ValuesOf(**repeated), text);
  }

  const BoundExpression from_ir = BindOk(CompileIrOk(ir, RowScope()), params);
  const Result<ColumnRef> same = from_ir.EvaluateColumn(rows, StopToken());
  REQUIRE(same.has_value());
  CheckColumn(tree, rows, params, ValuesOf(**same), ir);

  if (tree.type != ValueType::kBool) return;
  const Result<Selection> kept = bound.EvaluateFilter(rows, StopToken());
  REQUIRE(kept.has_value());
  Selection wanted;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (values[row] == Value(true)) wanted.push_back(rows.BaseRow(row));
  }
  REQUIRE(*kept == wanted);
}

std::vector<ParamValues> SomeParams() {
  return {Params(),
          Params({{"pi", std::int64_t{3}}, {"pf", -2.5}, {"pb", true}, {"ps", std::string("US")}})};
}

TEST_CASE("random expressions agree with the reference, in text and in IR") {
  ClaimThreadSlot();
  std::mt19937 random(20240607);
  const std::vector<ParamValues> params = SomeParams();
  for (int round = 0; round < 6000; ++round) {
    const auto type = static_cast<ValueType>(random() % 4);
    const Tree tree = RandomTree(random, type, 1 + static_cast<int>(random() % 5));
    RowSet rows = RandomRows(random, random() % 40);
    if (random() % 2 == 0 && rows.rows() > 0) rows = RandomSelection(random, rows);
    CheckTree(tree, rows, params[random() % 2]);
  }
}

TEST_CASE("random expressions agree with the reference over several blocks") {
  std::mt19937 random(99);
  const std::vector<ParamValues> params = SomeParams();
  const RowSet rows = RandomRows(random, 2500);
  const RowSet selected = RandomSelection(random, rows);
  for (int round = 0; round < 120; ++round) {
    const auto type = static_cast<ValueType>(random() % 4);
    const Tree tree = RandomTree(random, type, 4);
    CheckTree(tree, round % 2 == 0 ? rows : selected, params[random() % 2]);
  }
}

}  // namespace
}  // namespace rankd::test
