// Names and types: the pass between parsing and lowering.
#pragma once

#include "engine/expr/ast.h"
#include "engine/expr/diagnostics.h"
#include "engine/expr/expression.h"

namespace rankd {

/// Resolves every name (AstNode::slot) and gives every node its type, reporting all problems: names
/// that are unknown or blocked, keys and aggregates where they may not stand, arguments of wrong
/// number or type, bad literal patterns, a result that does not suit the scope's target.
void Typecheck(Ast& ast, const ExpressionScope& scope, Diagnostics& diagnostics);

/// The type numbers of both types become; kNull gives way to the other. Both must be kInt, kFloat
/// or kNull, or the same type.
StaticType Unify(StaticType a, StaticType b);

/// True for parents whose direct argument may be a `nullable:false` param without value.
bool AsksForNull(const AstNode& node);

/// True for `x == null` and `x != null`, which ask.
bool IsNullTest(const Ast& ast, const AstNode& node);

}  // namespace rankd
