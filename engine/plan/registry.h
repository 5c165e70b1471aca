// registry.json: the keys and params plans may name.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/data/schema.h"
#include "engine/plan/problem.h"

namespace rankd {

/// Reads a registry document into a Schema (which holds `id` already). Everything wrong goes to
/// `problems`; what is right is kept, so that later checks can name it.
Schema ParseRegistry(const Json& root, Problems& problems);

/// Adds a plan's own `keys` and `params` (objects from name to a type name or to an object as in
/// the registry) to `schema`. An entry that is there already must have the same type and changes
/// only the attributes it gives. Problems are reported below /keys and /params.
void MergePlanEntries(const Json* keys, const Json* params, Schema& schema, Problems& problems);

}  // namespace rankd
