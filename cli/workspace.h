// What plans are written against: the plan directory with its registry and endpoints.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/console.h"
#include "cli/environment.h"
#include "cli/options.h"
#include "cli/plan_cache.h"
#include "engine/data/schema.h"
#include "engine/kv/memory/memory_store.h"
#include "engine/plan/endpoints.h"
#include "engine/task/spec.h"

namespace rankd {

/// Lives as long as the process serves; one thread, though what it gives out as const may be read
/// by all.
class Workspace {
 public:
  /// Finds the plan directory and reads the registry and the endpoints of the environment. What is
  /// wrong is told to `console` (status 2 is due then) and gives nullptr. `tasks` and `console`
  /// must outlive the workspace.
  static std::unique_ptr<Workspace> Open(const WorkspaceOptions& options,
                                         const Environment& environment, const TaskCatalog& tasks,
                                         Console& console);

  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::string& plan_dir() const { return plan_dir_; }
  const Schema& registry() const { return registry_; }
  const EndpointTable& endpoints() const { return endpoints_; }
  const TaskCatalog& tasks() const { return tasks_; }
  Console& console() { return console_; }
  PlanContext plan_context() const { return {&plan_dir_, &registry_, &endpoints_, &tasks_}; }

  /// The plans of the stream, with the --param values of the flags.
  PlanCache& plans() { return *plans_; }

  /// The data of a memory endpoint, read once; without a `data` file, an empty store. What is wrong
  /// with the file is told to the console and gives nullptr.
  std::shared_ptr<const MemoryStore> LoadStore(const EndpointSpec& endpoint);

 private:
  Workspace(std::string plan_dir, const TaskCatalog& tasks, Console& console);
  bool ReadRegistry();
  bool ReadEndpoints(const std::string& env, bool required);
  bool Redirect(const std::string& url, const char* from);

  std::string plan_dir_;
  Schema registry_;
  EndpointTable endpoints_;
  const TaskCatalog& tasks_;
  Console& console_;
  std::unique_ptr<PlanCache> plans_;
  std::map<std::string, std::shared_ptr<const MemoryStore>> stores_;  ///< By file.
};

}  // namespace rankd
