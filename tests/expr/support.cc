#include "tests/expr/support.h"

#include <utility>

#include <doctest/doctest.h>

#include "engine/base/json.h"

namespace rankd::test {
namespace {

std::string Joined(const std::vector<Error>& problems) {
  std::string out;
  for (const Error& problem : problems) out += problem.pointer + " " + problem.message + "\n";
  return out;
}

}  // namespace

ExpressionRef CompileOk(std::string_view text, const ExpressionScope& scope) {
  std::vector<Error> problems;
  ExpressionRef compiled = CompileText(text, scope, problems);
  INFO("text: ", std::string(text), "\nproblems: ", Joined(problems));
  REQUIRE(compiled != nullptr);
  REQUIRE(problems.empty());
  return compiled;
}

std::vector<Error> ProblemsOf(std::string_view text, const ExpressionScope& scope) {
  std::vector<Error> problems;
  const ExpressionRef compiled = CompileText(text, scope, problems);
  INFO("text: ", std::string(text.substr(0, 200)));
  REQUIRE(compiled == nullptr);
  REQUIRE(!problems.empty());
  return problems;
}

ExpressionRef CompileIrOk(std::string_view json, const ExpressionScope& scope) {
  INFO("IR: ", std::string(json));
  const Result<JsonDocument> document = ParseJson(json);
  REQUIRE(document.has_value());
  std::vector<Error> problems;
  ExpressionRef compiled = CompileIr(document->root(), scope, problems);
  INFO("problems: ", Joined(problems));
  REQUIRE(compiled != nullptr);
  REQUIRE(problems.empty());
  return compiled;
}

std::vector<Error> IrProblemsOf(std::string_view json, const ExpressionScope& scope) {
  INFO("IR: ", std::string(json.substr(0, 200)));
  const Result<JsonDocument> document = ParseJson(json);
  REQUIRE(document.has_value());
  std::vector<Error> problems;
  const ExpressionRef compiled = CompileIr(document->root(), scope, problems);
  REQUIRE(compiled == nullptr);
  REQUIRE(!problems.empty());
  return problems;
}

BoundExpression BindOk(ExpressionRef expression, const ParamValues& params) {
  EvalEnv env;
  env.params = &params;
  env.schema = &TestSchema();
  Result<BoundExpression> bound = Bind(std::move(expression), env);
  INFO("bind: ", bound ? "" : bound.error().message);
  REQUIRE(bound.has_value());
  return *std::move(bound);
}

std::vector<Value> ColumnOf(std::string_view text, const RowSet& rows, const ParamValues& params) {
  const BoundExpression bound = BindOk(CompileOk(text, RowScope()), params);
  const Result<ColumnRef> column = bound.EvaluateColumn(rows, StopToken());
  REQUIRE(column.has_value());
  REQUIRE((*column)->size() == rows.rows());
  return ValuesOf(**column);
}

Value ValueOf(std::string_view text) {
  const RowSet row = Rows({{"i", {std::int64_t{7}}},
                           {"f", {0.5}},
                           {"b", {true}},
                           {"s", {std::string("Abc")}},
                           {"j", {Value()}},
                           {"g", {Value()}},
                           {"c", {Value()}},
                           {"t", {Value()}}});
  return ColumnOf(text, row).front();
}

Value ScalarOf(std::string_view text, const RowSet& rows, const ParamValues& params) {
  const BoundExpression bound = BindOk(CompileOk(text, ScalarScope()), params);
  const Result<Value> value = bound.EvaluateScalar(rows, StopToken());
  REQUIRE(value.has_value());
  return *value;
}

}  // namespace rankd::test
