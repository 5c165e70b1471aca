// The ops with bodies, for the catalog.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/task/spec.h"

namespace rankd {

TaskSpec BranchSpec();
TaskSpec CallSpec();
TaskSpec ForEachSpec();
TaskSpec LoopSpec();
TaskSpec TrySpec();

/// All of them.
std::vector<TaskSpec> RegionSpecs();

/// The body at /body, which the op must have.
std::optional<BodyRef> RequiredBody(TaskBuilder& builder, std::string_view op);

/// The list at `param`, of at least one `item` ("case"), which the op must have; nullptr when there
/// is a problem.
const Json* RequiredList(TaskBuilder& builder, std::string_view op, std::string_view param,
                         std::string_view item);

}  // namespace rankd
