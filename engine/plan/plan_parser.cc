#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "engine/plan/body_parser.h"
#include "engine/plan/capabilities.h"
#include "engine/plan/object_reader.h"
#include "engine/plan/place.h"
#include "engine/plan/plan.h"
#include "engine/plan/registry.h"

namespace rankd {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

constexpr std::array<std::string_view, 13> kPlanFields = {
    "schema_version",
    "plan_name",
    "keys",
    "params",
    "nodes",
    "outputs",
    "expr_table",
    "pred_table",
    "built_by",
    "extensions",
    "source_files",
    "source_spans",
    "capabilities_required",
};

void ParseName(ObjectReader& reader, std::string_view expected_name, Plan& plan) {
  const std::optional<std::string_view> name = reader.String("plan_name", Need::kRequired);
  if (!name) return;
  plan.name = *name;
  if (!IsPlanName(*name)) {
    reader.Problem("plan_name", "the plan name " + JsonQuoted(*name) +
                                    " must be made of the characters A-Z a-z 0-9 _");
  } else if (!expected_name.empty() && *name != expected_name) {
    reader.Problem("plan_name", "the plan name " + JsonQuoted(*name) +
                                    " must be that of the file, " + JsonQuoted(expected_name));
  }
}

void ParseVersion(ObjectReader& reader, const Json& root) {
  const Json* version = root.Find("schema_version");
  if (version != nullptr && !version->is_null() && version->AsInt() != kSchemaVersion) {
    reader.Problem("schema_version", "\"schema_version\" must be 1, not " + version->Describe());
  } else {
    reader.Int("schema_version", kSchemaVersion, kSchemaVersion, Need::kRequired);
  }
}

}  // namespace

std::unique_ptr<Plan> ParsePlan(JsonDocument document, const Schema& registry,
                                std::string_view expected_name, Problems& problems) {
  auto plan = std::make_unique<Plan>(std::move(document));
  const Json& root = plan->document.root();
  if (!root.is_object()) {
    problems.Add("", "a plan must be an object, not " + root.Describe());
    return nullptr;
  }
  RefuseRepeatedFields(root, problems);
  const Place place;
  ObjectReader reader(root, place, problems);
  reader.RefuseOthers(kPlanFields);
  ParseVersion(reader, root);
  ParseName(reader, expected_name, *plan);

  auto schema = std::make_shared<Schema>(registry);
  MergePlanEntries(reader.Object("keys"), reader.Object("params"), *schema, problems);
  plan->schema = std::move(schema);
  plan->expr_table = reader.Object("expr_table");
  plan->pred_table = reader.Object("pred_table");

  const Capabilities capabilities(reader.Find("capabilities_required"),
                                  Place(place, "capabilities_required"), problems);
  capabilities.CheckExtensions(reader.Find("extensions"), Place(place, "extensions"), problems);
  ParseNodesAndOutputs(reader, place, BodyScope{capabilities, problems}, *plan);
  return plan;
}

bool IsPlanName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace rankd
