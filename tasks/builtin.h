// The tasks that ship with rankd.
#pragma once

#include "engine/task/spec.h"

namespace rankd {

/// All of them, one entry a task, in alphabetical order.
TaskCatalog BuiltinTasks();

}  // namespace rankd
