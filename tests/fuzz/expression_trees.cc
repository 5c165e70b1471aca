// Well-typed expressions that the bytes choose: all of them compile, in both notations, and agree
// with the reference.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "tests/expr/random_tree.h"
#include "tests/expr/sample.h"
#include "tests/fuzz/expression_values.h"
#include "tests/fuzz/fuzz.h"

namespace rankd::fuzz {
namespace {

void Check(const test::Tree& tree, const ExpressionRef& expression, const std::string& shown,
           const std::vector<Error>& problems, const RowSet& rows) {
  Require(expression != nullptr,
          "does not compile: " + shown + "\n" + (problems.empty() ? "" : problems[0].message));
  Require(TypeOf(*expression) == tree.type, "of another type: " + shown);
  const BoundExpression bound = BindToParams(expression);
  RequireReference(tree, rows, Evaluate(bound, tree.type, rows, shown), shown);
}

}  // namespace

void FuzzExpressionTrees(std::string_view bytes) {
  Decisions decisions(bytes);
  const RowSet& rows = SomeRows(decisions.Byte());
  const auto type = static_cast<ValueType>(decisions.Below(4));
  const int depth = 1 + static_cast<int>(decisions.Below(4));
  const auto next = [&] { return std::uint32_t{decisions.Byte()}; };
  const test::Tree tree = test::RandomTree(next, type, depth);

  std::vector<Error> problems;
  const std::string text = test::ToText(tree);
  Check(tree, CompileText(text, test::RowScope(), problems), text, problems, rows);
  const std::string ir = test::ToIr(tree);
  const Result<JsonDocument> document = ParseJson(ir);
  Require(document.has_value(), "no JSON: " + ir);
  Check(tree, CompileIr(document->root(), test::RowScope(), problems), ir, problems, rows);
}

}  // namespace rankd::fuzz
