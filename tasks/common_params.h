// Params that several tasks read the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/ids.h"
#include "engine/task/key_template.h"
#include "engine/task/spec.h"
#include "tasks/hash_fields.h"

namespace rankd {

/// What `fields` is when a node does not say.
enum class DefaultFields : std::uint8_t {
  kNone,
  kCountry,  ///< The key `country` where the plan has one that may be written, else none.
};

/// The param `fields`; nullopt when problems were recorded.
std::optional<HashFields> ReadFieldsParam(TaskBuilder& builder, DefaultFields otherwise);

/// A key template that is applied to rows of which only the id is known.
std::optional<KeyTemplate> ReadIdTemplateParam(TaskBuilder& builder, std::string_view param,
                                               std::string_view otherwise);

/// Records that `op` lacks a param; `what` names it, or those of which one is needed.
void MissingParam(TaskBuilder& builder, std::string_view op, std::string_view what);

}  // namespace rankd
