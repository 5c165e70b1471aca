// Parts of an expression that depend on one string key: evaluated for strings, not for rows.
#pragma once

#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/rowset.h"
#include "engine/expr/compiled.h"
#include "engine/expr/frame.h"
#include "engine/expr/input.h"

namespace rankd {

/// The value of `lookup` for each of `rows`. Evaluated once for each entry of the dictionary, or,
/// where the dictionary is larger than the rows are many, for each entry that occurs in them, or,
/// where it is much larger, for each row: never more often than there are rows (and one null).
[[nodiscard]] Result<InputColumn> EvaluateLookup(const Lookup& lookup, const RowSet& rows,
                                                 const Bindings& bindings, const StopToken& stop);

}  // namespace rankd
