// Ast to compiled Expression.
#pragma once

#include "engine/expr/ast.h"
#include "engine/expr/expression.h"

namespace rankd {

/// `ast` must have passed Typecheck in `scope` without a problem.
ExpressionRef Lower(const Ast& ast, const ExpressionScope& scope);

}  // namespace rankd
