// What holds of the problems that reading a JSON file finds, whatever the file.
#pragma once

#include <string_view>

#include "engine/base/json.h"
#include "engine/plan/problem.h"

namespace rankd::fuzz {

/// Each problem points at a value of `root`, or at one that is missing from a value of it, and is
/// told in whole lines of valid UTF-8 without control characters.
void RequireSoundProblems(const Json& root, const Problems& problems);
void RequireSoundProblem(const Json& root, std::string_view pointer, std::string_view message);

}  // namespace rankd::fuzz
