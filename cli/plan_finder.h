// The plans that arguments of commands name: by name, or by file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/plan_cache.h"
#include "cli/workspace.h"

namespace rankd {

/// Files are read against the registry and the endpoints beside them, unless --plan_dir says where
/// these are. `context` must outlive it; one thread.
class PlanFinder {
 public:
  explicit PlanFinder(const CommandContext& context) : context_(context) {}

  struct Found {
    LoadedPlan plan;  ///< With its problems, none of which has been told.
    Workspace* workspace = nullptr;
  };
  /// `asked` is a file if it has a slash or ends in ".json". Nullopt: registry or endpoints are at
  /// fault, which the console has been told. A name that no plan has is a problem of the plan.
  std::optional<Found> Find(const std::string& asked);

 private:
  Workspace* WorkspaceFor(const std::string& file);

  const CommandContext& context_;
  std::map<std::string, std::unique_ptr<Workspace>> by_folder_;  ///< "": the plan directory.
};

}  // namespace rankd
