#include <string>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/json_writer.h"
#include "cli/text_table.h"

namespace rankd {
namespace {

std::string InputsText(const TaskSpec& spec) {
  std::string text = std::to_string(spec.min_inputs);
  if (spec.max_inputs == kAnyNumberOfInputs) {
    text += "+";
  } else if (spec.max_inputs != spec.min_inputs) {
    text += "-" + std::to_string(spec.max_inputs);
  }
  return text;
}

/// "endpoint, [fanout], [fields]": what may be left out stands in brackets.
std::string ParamsText(const TaskSpec& spec) {
  std::string text;
  for (const ParamDoc& param : spec.params) {
    if (!text.empty()) text += ", ";
    text += param.required ? std::string(param.name) : "[" + std::string(param.name) + "]";
  }
  return text;
}

void AppendParam(JsonWriter& json, const ParamDoc& param) {
  json.BeginObject();
  json.StringField("name", param.name);
  json.StringField("type", param.type);
  json.BoolField("required", param.required);
  if (!param.otherwise.empty()) json.StringField("default", param.otherwise);
  json.StringField("doc", param.doc);
  json.EndObject();
}

void AppendTask(JsonWriter& json, const TaskSpec& spec) {
  json.BeginObject();
  json.StringField("op", spec.op);
  json.StringField("doc", spec.doc);
  json.StringField("kind", spec.kind);
  json.IntField("min_inputs", static_cast<std::int64_t>(spec.min_inputs));
  json.Name("max_inputs");
  if (spec.max_inputs == kAnyNumberOfInputs) {
    json.Null();
  } else {
    json.Int(static_cast<std::int64_t>(spec.max_inputs));
  }
  json.BoolField("takes_rhs", spec.takes_rhs);
  json.Name("params");
  json.BeginArray();
  for (const ParamDoc& param : spec.params) AppendParam(json, param);
  json.EndArray();
  json.EndObject();
}

}  // namespace

int RunTasks(const CommandContext& context) {
  TextTable table({"OP", "KIND", "INPUTS", "WHAT IT DOES", "PARAMS"});
  JsonWriter json;
  json.BeginObject();
  json.Name("tasks");
  json.BeginArray();
  for (const TaskSpec* listed : context.tasks.all()) {
    const TaskSpec& spec = *listed;
    AppendTask(json, spec);
    table.AddRow({std::string(spec.op), std::string(spec.kind), InputsText(spec),
                  std::string(spec.doc), ParamsText(spec)});
  }
  json.EndArray();
  json.EndObject();
  context.console.Print(context.options.json ? json.Line() : table.Format(context.console));
  return kExitOk;
}

}  // namespace rankd
