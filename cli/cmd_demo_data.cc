#include <memory>
#include <set>
#include <string>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/workspace.h"

namespace rankd {

int RunDemoData(const CommandContext& context) {
  // The data itself is asked for: what points elsewhere does not count.
  WorkspaceOptions options = context.options.workspace;
  options.redis_url.reset();
  if (!options.env) options.env = "demo";
  Environment environment = context.environment;
  environment.redis_url.reset();
  const std::unique_ptr<Workspace> workspace =
      Workspace::Open(options, environment, context.tasks, context.console);
  if (workspace == nullptr) return kExitUsage;

  std::string commands;
  std::set<std::string> files;
  for (const EndpointSpec& endpoint : workspace->endpoints().all()) {
    if (endpoint.kind != EndpointKind::kMemory || !files.insert(endpoint.data).second) continue;
    const std::shared_ptr<const MemoryStore> store = workspace->LoadStore(endpoint);
    if (store == nullptr) return kExitUsage;
    AppendLoadCommands(*store, commands);
  }
  if (files.empty()) {
    context.console.Error("endpoints." + *options.env + ".json has no memory endpoint");
    return kExitUsage;
  }
  context.console.Print(commands);
  return kExitOk;
}

}  // namespace rankd
