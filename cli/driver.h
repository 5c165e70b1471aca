// Serves a stream: requests from stdin, answers to stdout.
#pragma once

#include "cli/options.h"
#include "cli/workspace.h"

namespace rankd {

/// Runs until stdin ends or a signal comes; the exit status. The plan of the flags, if there is
/// one, has been loaded into `workspace.plans()`.
int RunRequests(const Options& options, Workspace& workspace);

}  // namespace rankd
