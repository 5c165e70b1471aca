// The ops with bodies, for the catalog.
#pragma once

#include <optional>
#include <string_view>

#include "engine/base/json.h"
#include "engine/task/spec.h"

namespace rankd {

extern const TaskSpec kBranchTask;
extern const TaskSpec kCallTask;
extern const TaskSpec kForEachTask;
extern const TaskSpec kLoopTask;
extern const TaskSpec kTryTask;

/// The body at /body, which the op must have.
std::optional<BodyRef> RequiredBody(TaskBuilder& builder, std::string_view op);

/// The list at `param`, of at least one `item` ("case"), which the op must have; nullptr when there
/// is a problem.
const Json* RequiredList(TaskBuilder& builder, std::string_view op, std::string_view param,
                         std::string_view item);

}  // namespace rankd
