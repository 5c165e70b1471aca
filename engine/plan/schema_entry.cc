#include "engine/plan/schema_entry.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "engine/base/suggest.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

constexpr std::array<std::string_view, 8> kEntryFields = {
    "id", "name", "type", "nullable", "default", "doc", "status", "allow_write",
};
constexpr std::array<std::string_view, 4> kTypes = {"int", "float", "bool", "string"};
constexpr std::array<std::string_view, 3> kStatuses = {"active", "deprecated", "blocked"};

std::optional<Value> ReadValue(const Json& json, ValueType type) {
  const auto wrap = [](auto read) { return read ? std::optional<Value>(*read) : std::nullopt; };
  switch (type) {
    case ValueType::kInt:
      return wrap(json.AsInt());
    case ValueType::kFloat:
      return wrap(json.AsNumber());
    case ValueType::kBool:
      return wrap(json.AsBool());
    case ValueType::kString:
      if (const auto text = json.AsString()) return Value(std::string(*text));
      return std::nullopt;
  }
  return std::nullopt;
}

void ReadStatus(ObjectReader& reader, KeySpec& spec) {
  const std::optional<std::string_view> status = reader.String("status", Need::kOptional);
  if (!status) return;
  const auto found = std::ranges::find(kStatuses, *status);
  if (found == kStatuses.end()) {
    reader.Problem("status", "\"status\" must be \"active\", \"deprecated\" or \"blocked\", not " +
                                 JsonQuoted(*status) + DidYouMean(*status, kStatuses));
    return;
  }
  spec.status = static_cast<EntryStatus>(found - kStatuses.begin());
}

}  // namespace

std::string_view EntryKindName(EntryKind kind) { return kind == EntryKind::kKey ? "key" : "param"; }

bool IsEntryName(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::optional<ValueType> ReadEntryType(const Json& object, bool required, const Place& place,
                                       Problems& problems) {
  ObjectReader reader(object, place, problems);
  const std::optional<std::string_view> name =
      reader.String("type", required ? Need::kRequired : Need::kOptional);
  if (!name) return std::nullopt;
  const std::optional<ValueType> type = TypeFromName(*name);
  if (!type) {
    reader.Problem("type", "unknown type " + JsonQuoted(*name) + DidYouMean(*name, kTypes) +
                               " (types are int, float, bool, string)");
  }
  return type;
}

void ReadAttributes(const Json& object, EntryKind kind, const Place& place, KeySpec& spec,
                    Problems& problems) {
  ObjectReader reader(object, place, problems);
  const std::size_t known = kind == EntryKind::kKey ? kEntryFields.size() : kEntryFields.size() - 1;
  reader.RefuseOthers(std::span(kEntryFields).first(known));
  if (const std::optional<bool> nullable = reader.Bool("nullable")) spec.nullable = *nullable;
  if (kind == EntryKind::kKey) {
    if (const std::optional<bool> write = reader.Bool("allow_write")) spec.allow_write = *write;
  }
  ReadStatus(reader, spec);
  if (const auto doc = reader.String("doc", Need::kOptional)) spec.doc = *doc;
  if (const Json* id = reader.Find("id")) {
    if (const std::optional<std::int64_t> number = id->AsInt()) {
      spec.registry_id = number;
    } else {
      reader.Problem("id", "\"id\" must be an integer, not " + id->Describe());
    }
  }
}

void ReadDefault(const Json& object, const Place& place, KeySpec& spec, Problems& problems) {
  ObjectReader reader(object, place, problems);
  const Json* json = reader.Find("default");
  if (json == nullptr) return;
  std::optional<Value> value = ReadValue(*json, spec.type);
  if (!value) {
    reader.Problem("default", "the default of " + JsonQuoted(spec.name) + " must be of its type, " +
                                  std::string(TypeName(spec.type)) + ", not " + json->Describe());
    return;
  }
  spec.default_value = *std::move(value);
}

ParamSpec ToParamSpec(KeySpec spec) {
  ParamSpec param;
  param.name = std::move(spec.name);
  param.type = spec.type;
  param.nullable = spec.nullable;
  param.default_value = std::move(spec.default_value);
  param.registry_id = spec.registry_id;
  param.status = spec.status;
  param.doc = std::move(spec.doc);
  return param;
}

KeySpec ToKeySpec(const ParamSpec& spec) {
  KeySpec key;
  key.name = spec.name;
  key.type = spec.type;
  key.nullable = spec.nullable;
  key.default_value = spec.default_value;
  key.registry_id = spec.registry_id;
  key.status = spec.status;
  key.doc = spec.doc;
  return key;
}

}  // namespace rankd
