// Nodes and outputs, of a plan and of the bodies that nodes hold.
#pragma once

#include <cstddef>

#include "engine/base/json.h"
#include "engine/plan/capabilities.h"
#include "engine/plan/object_reader.h"
#include "engine/plan/place.h"
#include "engine/plan/plan.h"
#include "engine/plan/problem.h"

namespace rankd {

/// What reading nodes needs to know of where they stand.
struct BodyScope {
  const Capabilities& capabilities;
  Problems& problems;
  std::size_t depth = 0;  ///< Bodies around; 0 in a plan.
};

/// Reads the fields `nodes` and `outputs` of the object at `place`. Outside a body at least one
/// node is needed; a body may do with what it is given.
void ParseNodesAndOutputs(ObjectReader& reader, const Place& place, const BodyScope& scope,
                          PlanBody& body);

/// Whether the op, without its namespace, takes bodies or calls a plan.
bool IsControlFlowOp(std::string_view op);

/// Finds the bodies in the params of `node`, whose `op` and `params` are set, and reads them. What
/// else the params hold, and whether a body is missing, is the op's own affair.
void ParseBodies(const Place& params, const BodyScope& scope, PlanNode& node);

}  // namespace rankd
