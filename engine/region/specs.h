// The ops with bodies, for the catalog.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

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

}  // namespace rankd
