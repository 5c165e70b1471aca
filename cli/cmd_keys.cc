#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/json_writer.h"
#include "cli/text_table.h"
#include "cli/workspace.h"

namespace rankd {
namespace {

std::string_view StatusName(EntryStatus status) {
  switch (status) {
    case EntryStatus::kActive:
      return "active";
    case EntryStatus::kDeprecated:
      return "deprecated";
    case EntryStatus::kBlocked:
      return "blocked";
  }
  return "";
}

/// What keys and params have in common.
template <typename Spec>
void AppendEntry(JsonWriter& json, const Spec& spec) {
  if (spec.registry_id) json.IntField("id", *spec.registry_id);
  json.StringField("name", spec.name);
  json.StringField("type", TypeName(spec.type));
  json.BoolField("nullable", spec.nullable);
  if (!IsNull(spec.default_value)) {
    json.Name("default");
    json.Any(spec.default_value);
  }
  json.StringField("status", StatusName(spec.status));
  if (!spec.doc.empty()) json.StringField("doc", spec.doc);
}

/// The same, as cells of a table.
template <typename Spec>
std::vector<std::string> Cells(const Spec& spec) {
  return {spec.registry_id ? std::to_string(*spec.registry_id) : "-",
          spec.name,
          std::string(TypeName(spec.type)),
          spec.nullable ? "yes" : "no",
          IsNull(spec.default_value) ? "-" : ValueText(spec.default_value),
          std::string(StatusName(spec.status)),
          spec.doc};
}

std::string AsJson(const Schema& registry) {
  JsonWriter json;
  json.BeginObject();
  json.Name("keys");
  json.BeginArray();
  for (std::uint32_t i = 0; i < registry.key_count(); ++i) {
    const KeySpec& spec = registry.key(KeyId{i});
    json.BeginObject();
    AppendEntry(json, spec);
    json.BoolField("allow_write", spec.allow_write);
    json.EndObject();
  }
  json.EndArray();
  json.Name("params");
  json.BeginArray();
  for (std::uint32_t i = 0; i < registry.param_count(); ++i) {
    json.BeginObject();
    AppendEntry(json, registry.param(ParamId{i}));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Line();
}

std::string AsText(const Schema& registry, const Console& console) {
  TextTable keys({"ID", "KEY", "TYPE", "NULLABLE", "DEFAULT", "STATUS", "WRITABLE", "DOC"});
  for (std::uint32_t i = 0; i < registry.key_count(); ++i) {
    const KeySpec& spec = registry.key(KeyId{i});
    std::vector<std::string> cells = Cells(spec);
    cells.insert(cells.end() - 1, spec.allow_write ? "yes" : "no");
    keys.AddRow(std::move(cells));
  }
  TextTable params({"ID", "PARAM", "TYPE", "NULLABLE", "DEFAULT", "STATUS", "DOC"});
  for (std::uint32_t i = 0; i < registry.param_count(); ++i) {
    params.AddRow(Cells(registry.param(ParamId{i})));
  }
  std::string text = keys.Format(console);
  if (!params.empty()) text += "\n" + params.Format(console);
  return text;
}

}  // namespace

int RunKeys(const CommandContext& context) {
  const std::unique_ptr<Workspace> workspace = Workspace::Open(
      context.options.workspace, context.environment, context.tasks, context.console);
  if (workspace == nullptr) return kExitUsage;
  const Schema& registry = workspace->registry();
  context.console.Print(context.options.json ? AsJson(registry)
                                             : AsText(registry, context.console));
  return kExitOk;
}

}  // namespace rankd
