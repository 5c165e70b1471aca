#include "tests/fuzz/expression_values.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>

#include "tests/expr/sample.h"
#include "tests/fuzz/fuzz.h"

namespace rankd::fuzz {
namespace {

std::vector<RowSet> MakeRows() {
  std::mt19937 random(1);
  std::vector<RowSet> rows;
  for (const std::size_t count : {0U, 1U, 9U, 65U}) {
    rows.push_back(test::RandomRows(random, count));
    if (count > 0) rows.push_back(test::RandomSelection(random, rows.back()));
  }
  return rows;
}

RowSet OneRow(const RowSet& rows, std::size_t row) {
  return rows.WithSelection(std::make_shared<const Selection>(Selection{rows.BaseRow(row)}));
}

void RequireSame(const Value& value, const Value& wanted, std::size_t row,
                 const std::string& shown) {
  if (test::SameValue(value, wanted)) return;
  Broken(shown + "\nrow " + std::to_string(row) + ": " + test::Show(value) + ", not " +
         test::Show(wanted));
}

void RequireFilter(const BoundExpression& bound, const RowSet& rows,
                   const std::vector<Value>& values, const std::string& shown) {
  Selection wanted;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (values[row] == Value(true)) wanted.push_back(rows.BaseRow(row));
  }
  const Result<Selection> kept = bound.EvaluateFilter(rows, StopToken());
  Require(kept && *kept == wanted, "the filter keeps other rows: " + shown);
}

}  // namespace

const RowSet& SomeRows(std::size_t choice) {
  static const std::vector<RowSet> rows = MakeRows();
  return rows[choice % rows.size()];
}

const ParamValues& SomeParams() {
  static const ParamValues params = test::Params({{"pi", std::int64_t{3}},
                                                  {"pf", -2.5},
                                                  {"pb", true},
                                                  {"ps", std::string("US")},
                                                  {"ni", std::int64_t{-7}},
                                                  {"ns", std::string("a")}});
  return params;
}

BoundExpression BindToParams(ExpressionRef expression) {
  EvalEnv env;
  env.params = &SomeParams();
  env.schema = &test::TestSchema();
  Result<BoundExpression> bound = Bind(std::move(expression), env);
  Require(bound.has_value(), "does not bind");
  return *std::move(bound);
}

std::vector<Value> Evaluate(const BoundExpression& bound, std::optional<ValueType> type,
                            const RowSet& rows, const std::string& shown) {
  const Result<ColumnRef> column = bound.EvaluateColumn(rows, StopToken());
  Require(column.has_value(), "no column: " + shown);
  std::vector<Value> values = test::ValuesOf(**column);
  Require(values.size() == rows.rows(), "a column of another length: " + shown);
  for (std::size_t row = 0; row < std::min<std::size_t>(rows.rows(), 3); ++row) {
    const Result<ColumnRef> alone = bound.EvaluateColumn(OneRow(rows, row), StopToken());
    Require(alone && (*alone)->size() == 1, "no value: " + shown);
    RequireSame(values[row], (*alone)->At(0), row, shown);
  }
  if (type == ValueType::kBool) RequireFilter(bound, rows, values, shown);
  return values;
}

void RequireReference(const test::Tree& tree, const RowSet& rows, const std::vector<Value>& values,
                      const std::string& shown) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const test::Names names = [&](const std::string& name) -> Value {
      if (name.starts_with("P.")) return SomeParams().Get(test::ParamNamed(name.substr(2)));
      const Column* column = rows.Find(test::KeyNamed(name));
      return column == nullptr ? Value() : column->At(rows.BaseRow(row));
    };
    RequireSame(values[row], Reference(tree, names), row, shown);
  }
}

}  // namespace rankd::fuzz
