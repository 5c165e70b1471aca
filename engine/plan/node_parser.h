// One entry of a plan's `nodes`.
#pragma once

#include <string_view>

#include "engine/base/json.h"
#include "engine/plan/body_parser.h"
#include "engine/plan/place.h"
#include "engine/plan/plan.h"

namespace rankd {

/// Reads the object `json`; what is broken in it is recorded and left empty in the result.
PlanNode ParseNode(const Json& json, const Place& place, const BodyScope& scope);

/// "viewer" of "core::viewer"; `op` itself where it has no namespace (identifier characters and
/// `::`) or nothing after it.
std::string_view WithoutNamespace(std::string_view op);

}  // namespace rankd
