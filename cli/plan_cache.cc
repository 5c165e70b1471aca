#include "cli/plan_cache.h"

#include <algorithm>
#include <utility>

#include "cli/param_flags.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_files.h"

namespace rankd {
namespace {

LoadedPlan Load(const PlanContext& context, std::string file, std::string_view expected_name) {
  LoadedPlan loaded;
  loaded.file = std::move(file);
  std::optional<JsonDocument> document = ReadJsonFile(loaded.file, loaded.problems);
  if (!document) return loaded;
  const std::unique_ptr<const Plan> plan =
      ParsePlan(*std::move(document), *context.registry, expected_name, loaded.problems);
  if (plan == nullptr) return loaded;
  PlanDirectory plans(*context.plan_dir, *context.registry);
  loaded.graph = BuildGraph(*plan, *context.tasks, *context.endpoints, &plans, loaded.problems);
  return loaded;
}

/// A node that will not run is a warning for `check` only; what a plan names is one always, once a
/// process.
bool IsAboutWholeNode(const Problem& problem) {
  return problem.pointer.starts_with("/nodes/") && std::ranges::count(problem.pointer, '/') == 2;
}

void ReportForRun(const LoadedPlan& plan, Console& console) {
  for (const Problem& problem : plan.problems.all()) {
    if (problem.severity == Severity::kWarning &&
        (IsAboutWholeNode(problem) || !console.IsNews(problem.message))) {
      continue;
    }
    console.Report(plan.file, problem);
  }
}

/// Why a request for the plan fails.
Error SumUp(std::string_view name, const LoadedPlan& plan) {
  const std::string quoted = "plan \"" + std::string(name) + "\"";
  const Problem* first = plan.problems.FirstError();
  if (first == nullptr) return Error(ErrorCode::kInternal, quoted + " was not built");
  return Error(first->code, quoted + " is invalid: " + SummaryOf(plan.problems)).At(first->pointer);
}

}  // namespace

LoadedPlan LoadPlanFile(const PlanContext& context, std::string file) {
  return Load(context, std::move(file), {});
}

Result<LoadedPlan> LoadPlan(const PlanContext& context, std::string_view name) {
  RANKD_TRY(std::string file, FindPlan(*context.plan_dir, name));
  return Load(context, std::move(file), name);
}

PlanCache::PlanCache(PlanContext context, std::vector<ParamFlag> flags, Console& console)
    : context_(context), flags_(std::move(flags)), console_(console) {}

bool PlanCache::LoadDefault(const WorkspaceOptions& options) {
  if (!options.plan_file && !options.plan_name) return true;
  const std::string& name = options.plan_file ? *options.plan_file : *options.plan_name;
  Result<LoadedPlan> plan =
      options.plan_file ? LoadPlanFile(context_, name) : LoadPlan(context_, name);
  if (!plan) {
    console_.Error(plan.error().message);
    return false;
  }
  default_ = Admit(name, *plan, true);
  if (options.plan_name) default_name_ = name;
  // An invalid plan's problems have been reported one by one.
  if (default_->error && plan->graph != nullptr) console_.Error(default_->error->message);
  return !default_->error;
}

Result<PlanForRequest> PlanCache::Find(std::string_view name) {
  if (default_ && (name.empty() || name == default_name_)) return Give(*default_);
  if (name.empty()) {
    return Fail(ErrorCode::kUnknownPlan,
                "no plan is named: give the request a \"plan\", or rankd a --plan_name");
  }
  auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    RANKD_TRY(const LoadedPlan plan, LoadPlan(context_, name));
    found = by_name_.emplace(std::string(name), Admit(name, plan, false)).first;
  }
  return Give(found->second);
}

PlanCache::Entry PlanCache::Admit(std::string_view name, const LoadedPlan& plan, bool is_default) {
  ReportForRun(plan, console_);
  Entry entry;
  if (plan.graph == nullptr) {
    entry.error = SumUp(name, plan);
    return entry;
  }
  if (NeedsCaller(*plan.graph)) {
    entry.error = Error(ErrorCode::kInvalidPlan,
                        "plan \"" + std::string(name) +
                            "\" names \"$in\": it is made to be called by a node of another plan, "
                            "not to be run by itself");
    return entry;
  }
  entry.graph = plan.graph;
  const Schema& schema = *plan.graph->schema;
  entry.defaults = ParamValues(schema);
  const UnknownParams unknown = is_default ? UnknownParams::kRefuse : UnknownParams::kIgnore;
  Result<void> applied = ApplyParamFlags(flags_, schema, unknown, entry.defaults);
  if (!applied) entry.error = std::move(applied).error();
  NoteDeprecatedFlags(schema);
  return entry;
}

void PlanCache::NoteDeprecatedFlags(const Schema& schema) {
  for (const ParamFlag& flag : flags_) {
    const std::optional<ParamId> param = schema.FindParam(flag.name);
    if (param && schema.param(*param).status == EntryStatus::kDeprecated) {
      console_.Note("the param \"" + flag.name + "\" is deprecated");
    }
  }
}

Result<PlanForRequest> PlanCache::Give(const Entry& entry) {
  if (entry.error) return std::unexpected(*entry.error);
  return PlanForRequest{entry.graph, &entry.defaults};
}

}  // namespace rankd
