// IR notation (JSON) to Ast.
#pragma once

#include "engine/base/json.h"
#include "engine/expr/ast.h"
#include "engine/expr/diagnostics.h"

namespace rankd {

/// Reports every problem of shape: unknown ops and fields, lacking or wrongly typed ones. What is
/// broken becomes a kBroken node, so that Typecheck can go on with the rest. A null field counts as
/// absent. Limits: kMaxExpressionDepth objects deep, kMaxExpressionNodes nodes.
Ast ParseIr(const Json& ir, Diagnostics& diagnostics);

}  // namespace rankd
