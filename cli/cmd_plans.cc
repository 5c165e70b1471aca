#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/json_writer.h"
#include "cli/text_table.h"
#include "cli/workspace.h"
#include "engine/plan/plan_files.h"

namespace rankd {
namespace {

std::size_t NodeCount(const Graph& graph) { return graph.nodes.size() + graph.pruned.size(); }

void AppendJson(JsonWriter& json, const std::string& name, const LoadedPlan& plan) {
  json.BeginObject();
  json.StringField("plan", name);
  json.StringField("file", plan.file);
  json.BoolField("ok", plan.graph != nullptr);
  json.IntField("problems", static_cast<std::int64_t>(plan.problems.error_count()));
  if (plan.graph != nullptr) {
    json.IntField("nodes", static_cast<std::int64_t>(NodeCount(*plan.graph)));
    json.BoolField("needs_user_id", plan.graph->needs_user_id);
  }
  json.EndObject();
}

void AddRow(TextTable& table, const std::string& name, const LoadedPlan& plan) {
  if (plan.graph == nullptr) {
    table.AddRow({name, "-", "-", "invalid, see: rankd check " + name});
  } else {
    table.AddRow({name, std::to_string(NodeCount(*plan.graph)),
                  plan.graph->needs_user_id ? "required" : "-", "ok"});
  }
}

}  // namespace

int RunPlans(const CommandContext& context) {
  const std::unique_ptr<Workspace> workspace = Workspace::Open(
      context.options.workspace, context.environment, context.tasks, context.console);
  if (workspace == nullptr) return kExitUsage;
  const Result<std::vector<std::string>> names = ListPlans(workspace->plan_dir());
  if (!names) {
    context.console.Error(names.error().message);
    return kExitUsage;
  }
  TextTable table({"PLAN", "NODES", "USER_ID", "STATUS"});
  JsonWriter json;
  json.BeginObject();
  json.StringField("plan_dir", workspace->plan_dir());
  json.Name("plans");
  json.BeginArray();
  for (const std::string& name : *names) {
    const LoadedPlan plan =
        LoadPlanFile(workspace->plan_context(), PlanPath(workspace->plan_dir(), name));
    AppendJson(json, name, plan);
    AddRow(table, name, plan);
  }
  json.EndArray();
  json.EndObject();
  context.console.Print(context.options.json ? json.Line() : table.Format(context.console));
  return kExitOk;
}

}  // namespace rankd
