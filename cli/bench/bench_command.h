// `rankd --bench N`
#pragma once

#include "cli/options.h"
#include "cli/workspace.h"

namespace rankd {

/// Runs the bench of the flags and tells the result; the exit status. Never reads stdin. The plan
/// of the flags, if there is one, has been loaded into `workspace.plans()`.
int RunBench(const Options& options, Workspace& workspace);

}  // namespace rankd
