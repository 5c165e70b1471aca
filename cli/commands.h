// The commands beside running requests. Each prints to the console and gives the exit status.
#pragma once

#include "cli/console.h"
#include "cli/environment.h"
#include "cli/options.h"
#include "engine/task/spec.h"

namespace rankd {

/// What the commands have in common; all of it outlives them.
struct CommandContext {
  const Options& options;
  const Environment& environment;
  const TaskCatalog& tasks;
  Console& console;
};

/// `rankd check PLAN…`: kExitUsage if any plan is invalid.
int RunCheck(const CommandContext& context);
/// `rankd explain PLAN`: kExitUsage if it is invalid, kExitIo if its SVG could not be made.
int RunExplain(const CommandContext& context);
/// `rankd plans`: the plans of the plan directory, sound or not.
int RunPlans(const CommandContext& context);
/// `rankd tasks`
int RunTasks(const CommandContext& context);
/// `rankd keys`: the registry's keys and params.
int RunKeys(const CommandContext& context);
/// `rankd demo-data`: the data of the memory endpoints, as commands for `redis-cli --pipe`.
int RunDemoData(const CommandContext& context);

}  // namespace rankd
