// Rows written out in a plan: `[{ "id": 7, "score": 0.5 }, …]`.
#pragma once

#include <optional>

#include "engine/base/json.h"
#include "engine/data/rowset.h"
#include "engine/task/spec.h"

namespace rankd {

/// The rows of the param `rows`; keys are those any row names, what a row lacks (or gives as null)
/// is filled, with null also where the key forbids it. Nullopt when problems were recorded.
std::optional<RowSet> ReadLiteralRows(TaskBuilder& builder, const Json& rows);

}  // namespace rankd
