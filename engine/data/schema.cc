#include "engine/data/schema.h"

#include "engine/base/check.h"

namespace rankd {
namespace {

template <typename Map, typename Key>
auto Lookup(const Map& map, const Key& key) -> std::optional<typename Map::mapped_type> {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Schema::Schema() {
  KeySpec id;
  id.name = "id";
  id.type = ValueType::kInt;
  id.nullable = false;
  id.allow_write = false;
  AddKey(std::move(id));
}

KeyId Schema::AddKey(KeySpec spec) {
  const KeyId key{static_cast<std::uint32_t>(keys_.size())};
  RANKD_CHECK(key_by_name_.emplace(spec.name, key).second);
  if (spec.registry_id) key_by_registry_id_.emplace(*spec.registry_id, key);
  keys_.push_back(std::move(spec));
  return key;
}

KeyId Schema::AddHiddenKey(KeySpec spec) {
  const KeyId key{static_cast<std::uint32_t>(keys_.size())};
  RANKD_CHECK(hidden_key_by_name_.emplace(spec.name, key).second);
  keys_.push_back(std::move(spec));
  return key;
}

ParamId Schema::AddParam(ParamSpec spec) {
  const ParamId param{static_cast<std::uint32_t>(params_.size())};
  RANKD_CHECK(param_by_name_.emplace(spec.name, param).second);
  if (spec.registry_id) param_by_registry_id_.emplace(*spec.registry_id, param);
  params_.push_back(std::move(spec));
  return param;
}

void Schema::SetKey(KeyId key, KeySpec spec) {
  KeySpec& old = keys_[Index(key)];
  RANKD_CHECK(old.name == spec.name && old.type == spec.type);
  if (spec.registry_id) key_by_registry_id_.insert_or_assign(*spec.registry_id, key);
  old = std::move(spec);
}

void Schema::SetParam(ParamId param, ParamSpec spec) {
  ParamSpec& old = params_[Index(param)];
  RANKD_CHECK(old.name == spec.name && old.type == spec.type);
  if (spec.registry_id) param_by_registry_id_.insert_or_assign(*spec.registry_id, param);
  old = std::move(spec);
}

std::optional<KeyId> Schema::FindKey(std::string_view name) const {
  return Lookup(key_by_name_, name);
}
std::optional<KeyId> Schema::FindKeyOfRows(std::string_view name) const {
  const std::optional<KeyId> key = FindKey(name);
  return key ? key : Lookup(hidden_key_by_name_, name);
}
std::vector<std::string_view> Schema::KeyNames() const {
  std::vector<std::string_view> names;
  for (const KeySpec& key : keys_) {
    if (key_by_name_.contains(key.name)) names.push_back(key.name);
  }
  return names;
}
std::vector<std::string_view> Schema::ParamNames() const {
  std::vector<std::string_view> names;
  for (const ParamSpec& param : params_) names.push_back(param.name);
  return names;
}
std::optional<KeyId> Schema::FindKey(std::int64_t registry_id) const {
  return Lookup(key_by_registry_id_, registry_id);
}
std::optional<ParamId> Schema::FindParam(std::string_view name) const {
  return Lookup(param_by_name_, name);
}
std::optional<ParamId> Schema::FindParam(std::int64_t registry_id) const {
  return Lookup(param_by_registry_id_, registry_id);
}

ParamValues::ParamValues(const Schema& schema) {
  values_.reserve(schema.param_count());
  for (std::size_t i = 0; i < schema.param_count(); ++i) {
    values_.push_back(schema.param(ParamId{static_cast<std::uint32_t>(i)}).default_value);
  }
}

}  // namespace rankd
