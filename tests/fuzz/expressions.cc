// Expressions as they are written: text, or IR where it begins with a brace. What compiles is
// evaluated over rows and, with aggregates, over groups; text is compared with the reference.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/expr/expression.h"
#include "tests/expr/reference_parser.h"
#include "tests/expr/sample.h"
#include "tests/fuzz/expression_values.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/problems.h"

namespace rankd::fuzz {
namespace {

/// The reference recurses once for each operator of a chain.
constexpr std::size_t kLongest = 2000;

std::optional<ValueType> TypeOfName(const std::string& name) {
  const Schema& schema = test::TestSchema();
  if (name.starts_with("P.")) {
    const auto param = schema.FindParam(std::string_view(name).substr(2));
    return param ? std::optional(schema.param(*param).type) : std::nullopt;
  }
  const auto key = schema.FindKey(name);
  return key ? std::optional(schema.key(*key).type) : std::nullopt;
}

/// The same over all rows as over one group of all rows.
void CheckScalar(ExpressionRef expression, const RowSet& rows, const std::string& shown) {
  const BoundExpression bound = BindToParams(std::move(expression));
  const Result<Value> whole = bound.EvaluateScalar(rows, StopToken());
  Require(whole.has_value(), "no value: " + shown);
  const std::vector<std::uint32_t> groups(rows.rows(), 0);
  const Result<ColumnRef> grouped = bound.EvaluateGrouped(rows, groups, 1, StopToken());
  Require(grouped && (*grouped)->size() == 1, "no group: " + shown);
  const Value group = (*grouped)->At(0);
  Require(test::SameValue(*whole, group),
          shown + ": " + test::Show(*whole) + ", grouped " + test::Show(group));
}

void CheckText(std::string_view text, const RowSet& rows) {
  const Json nowhere{};
  std::vector<Error> problems;
  const ExpressionRef row = CompileText(text, test::RowScope(), problems);
  Require((row == nullptr) == !problems.empty(), "compiled with problems, or not without");
  for (const Error& problem : problems) RequireSoundProblem(nowhere, "", problem.message);
  const std::string shown(text);
  if (row != nullptr) {
    const std::optional<test::Tree> tree = test::ParseReference(text, TypeOfName);
    Require(tree.has_value(), "compiled, but no expression: " + shown);
    Require(TypeOf(*row) == tree->type, "of another type: " + shown);
    const BoundExpression bound = BindToParams(row);
    RequireReference(*tree, rows, Evaluate(bound, TypeOf(*row), rows, shown), shown);
  }
  problems.clear();
  if (ExpressionRef scalar = CompileText(text, test::ScalarScope(), problems)) {
    CheckScalar(std::move(scalar), rows, shown);
  }
}

void CheckIr(std::string_view text, const RowSet& rows) {
  const Result<JsonDocument> document = ParseJson(text);
  if (!document) return;
  const std::string shown(text);
  std::vector<Error> problems;
  const ExpressionRef row = CompileIr(document->root(), test::RowScope(), problems);
  Require((row == nullptr) == !problems.empty(), "compiled with problems, or not without");
  for (const Error& problem : problems) {
    RequireSoundProblem(document->root(), problem.pointer, problem.message);
  }
  if (row != nullptr) {
    const BoundExpression bound = BindToParams(row);
    static_cast<void>(Evaluate(bound, TypeOf(*row), rows, shown));
  }
  problems.clear();
  if (ExpressionRef scalar = CompileIr(document->root(), test::ScalarScope(), problems)) {
    CheckScalar(std::move(scalar), rows, shown);
  }
}

}  // namespace

void FuzzExpressions(std::string_view bytes) {
  if (bytes.size() > kLongest) return;
  const RowSet& rows = SomeRows(RandomOf(bytes)());
  if (bytes.starts_with("{")) {
    CheckIr(bytes, rows);
  } else {
    CheckText(bytes, rows);
  }
}

}  // namespace rankd::fuzz
