// What validation found, compared with what it should have found: no more, no less.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/plan/problem.h"

namespace rankd {

struct ExpectedProblem {
  std::string_view pointer;
  std::string_view part;  ///< Stands in the message.
};

/// Checks (doctest) that the errors are these, in any order, and nothing else.
void CheckErrors(const Problems& problems, const std::vector<ExpectedProblem>& expected);
/// The same for warnings.
void CheckWarnings(const Problems& problems, const std::vector<ExpectedProblem>& expected);

/// The lines a person sees of all problems, for failure messages.
std::string ShowProblems(const Problems& problems);

/// Parses JSON that must be sound.
JsonDocument MustParse(std::string_view text);

}  // namespace rankd
