// Text notation to Ast.
#pragma once

#include <optional>
#include <string_view>

#include "engine/expr/ast.h"
#include "engine/expr/diagnostics.h"

namespace rankd {

/// Nullopt after a syntax error, the first of which is reported. Names are not resolved; unknown
/// functions and namespaces are reported and become kBroken nodes.
///
/// Limits: at most kMaxExpressionDepth parentheses, calls and signs open at once, and a tree no
/// deeper than that, where a chain of operators of one precedence (a + b + c + …) is one level;
/// kMaxExpressionNodes nodes, the literals of a list not counted.
std::optional<Ast> ParseText(std::string_view text, Diagnostics& diagnostics);

}  // namespace rankd
