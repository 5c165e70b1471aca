#include "engine/plan/object_reader.h"

#include <algorithm>
#include <vector>

#include "engine/base/number_text.h"
#include "engine/base/suggest.h"

namespace rankd {

std::string JsonQuoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(quoted, text);
  return quoted;
}

void ObjectReader::RefuseOthers(std::span<const std::string_view> known) {
  for (const JsonField& field : object_.fields()) {
    if (field.value.is_null() || std::ranges::find(known, field.name) != known.end()) continue;
    Problem(field.name, "unknown field " + JsonQuoted(field.name) + DidYouMean(field.name, known));
  }
}

const Json* ObjectReader::Find(std::string_view name) const {
  const Json* value = object_.Find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const Json* ObjectReader::FindOrMiss(std::string_view name, Need need) {
  const Json* value = Find(name);
  if (value == nullptr && need == Need::kRequired) {
    Problem(name, "the field " + JsonQuoted(name) + " is missing");
  }
  return value;
}

void ObjectReader::WrongType(std::string_view name, std::string_view wanted, const Json& found) {
  Problem(name, JsonQuoted(name) + " must be " + std::string(wanted) + ", not " + found.Describe());
}

std::optional<std::string_view> ObjectReader::String(std::string_view name, Need need) {
  const Json* value = FindOrMiss(name, need);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::string_view> text = value->AsString();
  if (!text) WrongType(name, "a string", *value);
  return text;
}

std::optional<bool> ObjectReader::Bool(std::string_view name) {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<bool> flag = value->AsBool();
  if (!flag) WrongType(name, "true or false", *value);
  return flag;
}

std::optional<std::int64_t> ObjectReader::Int(std::string_view name, std::int64_t low,
                                              std::int64_t high, Need need) {
  const Json* value = FindOrMiss(name, need);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> number = value->AsInt();
  if (number && *number >= low && *number <= high) return number;
  WrongType(name, "a whole number from " + std::to_string(low) + " to " + std::to_string(high),
            *value);
  return std::nullopt;
}

std::optional<double> ObjectReader::Number(std::string_view name, double low, double high) {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<double> number = value->AsNumber();
  if (number && *number >= low && *number <= high) return number;
  std::string wanted = "a number from ";
  AppendFloat(wanted, low);
  wanted += " to ";
  AppendFloat(wanted, high);
  WrongType(name, wanted, *value);
  return std::nullopt;
}

const Json* ObjectReader::Object(std::string_view name) {
  const Json* value = Find(name);
  if (value == nullptr || value->is_object()) return value;
  WrongType(name, "an object", *value);
  return nullptr;
}

const Json* ObjectReader::Array(std::string_view name, Need need) {
  const Json* value = FindOrMiss(name, need);
  if (value == nullptr || value->is_array()) return value;
  WrongType(name, "an array", *value);
  return nullptr;
}

void ObjectReader::Problem(std::string_view name, std::string message) {
  problems_.Add(Place(place_, name).Pointer(), std::move(message));
}

}  // namespace rankd
