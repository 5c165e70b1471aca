// One entry of the registry, or of a plan's own keys and params: what both are read with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/json.h"
#include "engine/data/schema.h"
#include "engine/plan/place.h"
#include "engine/plan/problem.h"

namespace rankd {

enum class EntryKind : std::uint8_t { kKey, kParam };

/// "key" or "param".
std::string_view EntryKindName(EntryKind kind);

/// `[A-Za-z_][A-Za-z0-9_]*`
bool IsEntryName(std::string_view name);

/// The `type` field; nullopt (and a problem, also when it is absent and required) if it is no type.
std::optional<ValueType> ReadEntryType(const Json& object, bool required, const Place& place,
                                       Problems& problems);

/// Refuses unknown fields and sets the attributes that `object` gives, apart from its default
/// (nullable, allow_write, status, doc, id), in `spec`. A param's spec is read as a key's. What is
/// wrong is recorded and leaves the attribute as it was.
void ReadAttributes(const Json& object, EntryKind kind, const Place& place, KeySpec& spec,
                    Problems& problems);

/// Sets the default if `object` gives one; it must be of the type of `spec`.
void ReadDefault(const Json& object, const Place& place, KeySpec& spec, Problems& problems);

/// A param has what a key has but `allow_write`.
ParamSpec ToParamSpec(KeySpec spec);
KeySpec ToKeySpec(const ParamSpec& spec);

}  // namespace rankd
