#include "engine/expr/expression.h"

#include <algorithm>
#include <utility>

#include "engine/expr/compiled.h"
#include "engine/expr/diagnostics.h"
#include "engine/expr/ir_parser.h"
#include "engine/expr/lowering.h"
#include "engine/expr/text_parser.h"
#include "engine/expr/typecheck.h"

namespace rankd {
namespace {

ExpressionRef CheckAndLower(Ast& ast, const ExpressionScope& scope, Diagnostics& diagnostics) {
  Typecheck(ast, scope, diagnostics);
  return diagnostics.empty() ? Lower(ast, scope) : nullptr;
}

}  // namespace

ExpressionRef CompileText(std::string_view text, const ExpressionScope& scope,
                          std::vector<Error>& problems) {
  Diagnostics diagnostics(text);
  ExpressionRef compiled;
  if (std::optional<Ast> ast = ParseText(text, diagnostics)) {
    compiled = CheckAndLower(*ast, scope, diagnostics);
  }
  diagnostics.MoveTo(problems);
  return compiled;
}

ExpressionRef CompileIr(const Json& ir, const ExpressionScope& scope,
                        std::vector<Error>& problems) {
  Diagnostics diagnostics;
  Ast ast = ParseIr(ir, diagnostics);
  ExpressionRef compiled = CheckAndLower(ast, scope, diagnostics);
  diagnostics.MoveTo(problems);
  return compiled;
}

std::optional<ValueType> TypeOf(const Expression& expression) {
  if (expression.only_null) return std::nullopt;
  return expression.type;
}

std::span<const KeyId> KeysRead(const Expression& expression) { return expression.keys; }

bool ReadsLoopVariables(const Expression& expression) {
  return std::ranges::any_of(expression.sources, [](const UniformSource& source) {
    return source.kind == UniformSource::Kind::kLoopVariable;
  });
}
std::span<const ParamId> ParamsRead(const Expression& expression) { return expression.params; }

bool IsBoundOnce(const Expression& expression) {
  return expression.params.empty() && expression.sources.empty() && expression.once.code.empty();
}

double CostPerRow(const Expression& expression) { return expression.cost_per_row; }

}  // namespace rankd
