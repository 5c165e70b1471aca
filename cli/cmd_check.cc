#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/json_writer.h"
#include "cli/plan_finder.h"

namespace rankd {
namespace {

void AppendJson(JsonWriter& json, const std::string& asked, const Problems& problems) {
  json.BeginObject();
  json.StringField("plan", asked);
  json.BoolField("ok", !problems.has_errors());
  json.Name("problems");
  json.BeginArray();
  for (const Problem& problem : problems.all()) {
    json.BeginObject();
    json.StringField("pointer", problem.pointer);
    json.StringField("message", problem.message);
    json.StringField("severity", problem.severity == Severity::kWarning ? "warning" : "error");
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void PrintText(Console& console, const std::string& asked, const LoadedPlan& plan) {
  const Problems& problems = plan.problems;
  for (const Problem& problem : problems.all()) console.Report(plan.file, problem);
  const std::size_t errors = problems.error_count();
  if (errors == 0) {
    console.Print(asked + ": " + console.Green("ok") + "\n");
  } else {
    const std::string count = std::to_string(errors) + (errors == 1 ? " problem" : " problems");
    console.Print(asked + ": " + console.Red(count) + "\n");
  }
}

}  // namespace

int RunCheck(const CommandContext& context) {
  PlanFinder finder(context);
  JsonWriter json;
  json.BeginObject();
  json.Name("plans");
  json.BeginArray();
  bool sound = true;
  for (const std::string& asked : context.options.plans) {
    const std::optional<PlanFinder::Found> found = finder.Find(asked);
    if (!found) return kExitUsage;
    const LoadedPlan& plan = found->plan;
    sound = sound && !plan.problems.has_errors();
    if (context.options.json) {
      AppendJson(json, asked, plan.problems);
    } else {
      PrintText(context.console, asked, plan);
    }
  }
  json.EndArray();
  json.EndObject();
  if (context.options.json) context.console.Print(json.Line());
  return sound ? kExitOk : kExitUsage;
}

}  // namespace rankd
