// What is wrong with a data file. Only for one that could not be read: reading does not look for
// more than the first fault.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/error.h"

namespace rankd {

/// Appends every problem of `text`, at least one, as invalid_plan with a JSON pointer: where it is
/// no JSON, one of the whole.
void FindStoreProblems(std::string_view text, std::vector<Error>& problems);

}  // namespace rankd
