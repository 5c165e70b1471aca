#include "engine/region/specs.h"

#include <string>

namespace rankd {

std::optional<BodyRef> RequiredBody(TaskBuilder& builder, std::string_view op) {
  if (builder.Find("body") == nullptr) {
    builder.Problem("", "the op \"" + std::string(op) + "\" needs the param \"body\"");
    return std::nullopt;
  }
  return builder.Body("/body");
}

const Json* RequiredList(TaskBuilder& builder, std::string_view op, std::string_view param,
                         std::string_view item) {
  const std::string quoted = "\"" + std::string(param) + "\"";
  const Json* list = builder.Find(param);
  if (list == nullptr) {
    builder.Problem("", "the op \"" + std::string(op) + "\" needs the param " + quoted);
  } else if (!list->is_array() || list->items().empty()) {
    builder.Problem(JsonPointer("", param),
                    quoted + " must be an array of at least one " + std::string(item) + ", not " +
                        (list->is_array() ? "an empty one" : list->Describe()));
    list = nullptr;
  }
  return list;
}

}  // namespace rankd
