#include "tasks/common_params.h"

#include <string>
#include <utility>
#include <vector>

namespace rankd {
namespace {

/// None where a plan that does not ask for the key should not fail on it.
std::vector<KeyId> Country(const Schema& schema) {
  const std::optional<KeyId> country = schema.FindKey("country");
  if (!country) return {};
  const KeySpec& spec = schema.key(*country);
  if (!spec.allow_write || spec.status == EntryStatus::kBlocked) return {};
  return {*country};
}

}  // namespace

std::optional<HashFields> ReadFieldsParam(TaskBuilder& builder, DefaultFields otherwise) {
  std::optional<std::vector<KeyId>> keys;
  if (builder.Find("fields") != nullptr) {
    keys = builder.KeyList("fields", KeyUse::kWrite);
    if (!keys) return std::nullopt;
  } else if (otherwise == DefaultFields::kCountry) {
    keys = Country(builder.schema());
  } else {
    keys.emplace();
  }
  return HashFields(*std::move(keys), builder.schema());
}

std::optional<KeyTemplate> ReadIdTemplateParam(TaskBuilder& builder, std::string_view param,
                                               std::string_view otherwise) {
  std::optional<KeyTemplate> key = builder.Template(param, otherwise);
  if (!key || key->uses_only_id()) return key;
  builder.Problem("/" + std::string(param),
                  "only {id} is known of these rows, a template may name no other key");
  return std::nullopt;
}

void MissingParam(TaskBuilder& builder, std::string_view op, std::string_view what) {
  builder.Problem("", "the op \"" + std::string(op) + "\" needs the param " + std::string(what));
}

}  // namespace rankd
