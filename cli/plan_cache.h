// The plans of one stream, each loaded and validated once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"
#include "engine/data/schema.h"
#include "engine/graph/graph.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/problem.h"
#include "engine/task/spec.h"
#include "engine/wire/request.h"

namespace rankd {

/// One plan file, read and validated.
struct LoadedPlan {
  std::string file;
  std::shared_ptr<const Graph> graph;  ///< Nullptr when there are errors.
  Problems problems;                   ///< Errors and warnings.
};

/// What a plan is validated against. All of it outlives who holds this.
struct PlanContext {
  const std::string* plan_dir;
  const Schema* registry;
  const EndpointTable* endpoints;
  const TaskCatalog* tasks;
};

/// By file, whatever the plan in it calls itself.
LoadedPlan LoadPlanFile(const PlanContext& context, std::string file);
/// By name from the plan directory. unknown_plan when there is none.
[[nodiscard]] Result<LoadedPlan> LoadPlan(const PlanContext& context, std::string_view name);

/// One thread. What it gives stays valid as long as it lives.
class PlanCache {
 public:
  /// `flags`: the --param values. Problems found are reported to `console`, once a plan.
  PlanCache(PlanContext context, std::vector<ParamFlag> flags, Console& console);

  /// Loads the plan of the flags, if they name one, so that Find("") gives it. Every --param must
  /// fit it. False when there is anything wrong, which the console has been told.
  [[nodiscard]] bool LoadDefault(const WorkspaceOptions& options);

  /// The plan for a request, the flags' one for an empty name. unknown_plan; invalid_plan or
  /// unsupported_capability, summing up the first problem; invalid_param where a --param does not
  /// suit this plan. A --param this plan does not know is ignored.
  [[nodiscard]] Result<PlanForRequest> Find(std::string_view name);

 private:
  struct Entry {
    std::shared_ptr<const Graph> graph;
    ParamValues defaults;
    std::optional<Error> error;  ///< For the requests that name it.
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  Entry Admit(std::string_view name, const LoadedPlan& plan, bool is_default);
  void NoteDeprecatedFlags(const Schema& schema);
  static Result<PlanForRequest> Give(const Entry& entry);

  PlanContext context_;
  std::vector<ParamFlag> flags_;
  Console& console_;
  std::optional<Entry> default_;
  std::string default_name_;  ///< Empty when it was given as a file.
  /// Plans that exist: their number is bounded by the directory, whatever requests name.
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> by_name_;
};

}  // namespace rankd
