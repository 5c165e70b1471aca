#include "engine/wire/request_fields.h"

#include <string>

#include "engine/base/json.h"
#include "engine/base/suggest.h"

namespace rankd {
namespace {

constexpr std::array<std::string_view, kRequestFieldCount> kNames = {
    "request_id",  "user_id",         "plan",  "params", "param_overrides", "output_keys",
    "deadline_ms", "node_timeout_ms", "trace", "cpu"};

std::optional<std::size_t> SlotOf(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return i;
  }
  return std::nullopt;
}

Error UnknownField(std::string_view name) {
  std::string message = "unknown field ";
  AppendJsonString(message, name);
  return Error(ErrorCode::kInvalidRequest, message + DidYouMean(name, kNames));
}

Error GivenTwice(std::string_view name) {
  return Error(ErrorCode::kInvalidRequest, "field \"" + std::string(name) + "\" is given twice");
}

}  // namespace

std::string_view FieldName(RequestField field) { return kNames[static_cast<std::size_t>(field)]; }

Result<void> RequestFields::Collect(const simdjson::dom::object& object, bool allow_unknown) {
  std::optional<Error> first;
  for (const simdjson::dom::key_value_pair field : object) {
    const std::optional<std::size_t> slot = SlotOf(field.key);
    if (!slot) {
      if (!allow_unknown && !first) first = UnknownField(field.key);
    } else if (slots_[*slot].given) {
      if (!first) first = GivenTwice(field.key);
    } else {
      slots_[*slot].given = true;
      slots_[*slot].value = field.value;
    }
  }
  if (first) return std::unexpected(*std::move(first));
  return {};
}

}  // namespace rankd
