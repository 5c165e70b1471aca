#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/json_writer.h"
#include "cli/workspace.h"

namespace rankd {
namespace {

/// What an argument names, as it was found.
struct Checked {
  std::string asked;  ///< As it stood on the command line.
  LoadedPlan plan;
};

/// A path or the name of a file, not of a plan.
bool IsFileName(const std::string& asked) {
  return asked.find('/') != std::string::npos || asked.ends_with(".json");
}

/// Files are checked against the registry and the endpoints beside them, unless --plan_dir says
/// where these are.
class Checker {
 public:
  explicit Checker(const CommandContext& context) : context_(context) {}

  /// Nullopt: registry or endpoints are at fault, which the console has been told.
  std::optional<Checked> Check(const std::string& asked) {
    const bool is_file = IsFileName(asked);
    Workspace* workspace = WorkspaceFor(is_file ? asked : "");
    if (workspace == nullptr) return std::nullopt;
    if (is_file) return Checked{asked, LoadPlanFile(workspace->plan_context(), asked)};
    Result<LoadedPlan> plan = LoadPlan(workspace->plan_context(), asked);
    if (plan) return Checked{asked, *std::move(plan)};
    Checked missing{asked, {}};
    missing.plan.file = asked;
    missing.plan.problems.Add("", plan.error().message, plan.error().code);
    return missing;
  }

 private:
  Workspace* WorkspaceFor(const std::string& file) {
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

  const CommandContext& context_;
  std::map<std::string, std::unique_ptr<Workspace>> by_folder_;  ///< "": the plan directory.
};

void AppendJson(JsonWriter& json, const Checked& checked) {
  json.BeginObject();
  json.StringField("plan", checked.asked);
  json.BoolField("ok", !checked.plan.problems.has_errors());
  json.Name("problems");
  json.BeginArray();
  for (const Problem& problem : checked.plan.problems.all()) {
    json.BeginObject();
    json.StringField("pointer", problem.pointer);
    json.StringField("message", problem.message);
    json.StringField("severity", problem.severity == Severity::kWarning ? "warning" : "error");
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void PrintText(Console& console, const Checked& checked) {
  const Problems& problems = checked.plan.problems;
  for (const Problem& problem : problems.all()) console.Report(checked.plan.file, problem);
  const std::size_t errors = problems.error_count();
  if (errors == 0) {
    console.Print(checked.asked + ": " + console.Green("ok") + "\n");
  } else {
    const std::string count = std::to_string(errors) + (errors == 1 ? " problem" : " problems");
    console.Print(checked.asked + ": " + console.Red(count) + "\n");
  }
}

}  // namespace

int RunCheck(const CommandContext& context) {
  Checker checker(context);
  JsonWriter json;
  json.BeginObject();
  json.Name("plans");
  json.BeginArray();
  bool sound = true;
  for (const std::string& asked : context.options.plans) {
    const std::optional<Checked> checked = checker.Check(asked);
    if (!checked) return kExitUsage;
    sound = sound && !checked->plan.problems.has_errors();
    if (context.options.json) {
      AppendJson(json, *checked);
    } else {
      PrintText(context.console, *checked);
    }
  }
  json.EndArray();
  json.EndObject();
  if (context.options.json) context.console.Print(json.Line());
  return sound ? kExitOk : kExitUsage;
}

}  // namespace rankd
