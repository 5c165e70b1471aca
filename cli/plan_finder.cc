#include "cli/plan_finder.h"

#include <filesystem>
#include <utility>

namespace rankd {
namespace {

/// A path or the name of a file, not of a plan.
bool IsFileName(const std::string& asked) {
  return asked.find('/') != std::string::npos || asked.ends_with(".json");
}

}  // namespace

std::optional<PlanFinder::Found> PlanFinder::Find(const std::string& asked) {
  const bool is_file = IsFileName(asked);
  Workspace* workspace = WorkspaceFor(is_file ? asked : "");
  if (workspace == nullptr) return std::nullopt;
  if (is_file) return Found{LoadPlanFile(workspace->plan_context(), asked), workspace};
  Result<LoadedPlan> plan = LoadPlan(workspace->plan_context(), asked);
  if (plan) return Found{*std::move(plan), workspace};
  Found missing{{}, workspace};
  missing.plan.file = asked;
  missing.plan.problems.Add("", plan.error().message, plan.error().code);
  return missing;
}

Workspace* PlanFinder::WorkspaceFor(const std::string& file) {
  WorkspaceOptions options = context_.options.workspace;
  std::string folder;
  if (!file.empty() && !options.plan_dir) {
    options.plan_file = file;
    folder = std::filesystem::path(file).parent_path().string() + "/";
  }
  auto [found, is_new] = by_folder_.try_emplace(folder);
  if (is_new) {
    found->second =
        Workspace::Open(options, context_.environment, context_.tasks, context_.console);
  }
  return found->second.get();
}

}  // namespace rankd
