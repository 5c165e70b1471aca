#include "tests/plan/expect_problems.h"

#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

namespace rankd {
namespace {

void Check(const Problems& problems, Severity severity,
           const std::vector<ExpectedProblem>& expected) {
  INFO("found:\n" << ShowProblems(problems));
  std::vector<const Problem*> left;
  for (const Problem& problem : problems.all()) {
    if (problem.severity == severity) left.push_back(&problem);
  }
  for (const ExpectedProblem& wanted : expected) {
    const auto found = std::ranges::find_if(left, [&](const Problem* problem) {
      return problem->pointer == wanted.pointer &&
             problem->message.find(wanted.part) != std::string::npos;
    });
    CHECK_MESSAGE(found != left.end(),
                  "expected " << std::string(wanted.pointer) << ": " << std::string(wanted.part));
    if (found != left.end()) left.erase(found);
  }
  for (const Problem* problem : left) {
    FAIL_CHECK("not expected: " << problem->pointer << ": " << problem->message);
  }
}

}  // namespace

void CheckErrors(const Problems& problems, const std::vector<ExpectedProblem>& expected) {
  Check(problems, Severity::kError, expected);
}

void CheckWarnings(const Problems& problems, const std::vector<ExpectedProblem>& expected) {
  Check(problems, Severity::kWarning, expected);
}

std::string ShowProblems(const Problems& problems) {
  std::string text;
  for (const Problem& problem : problems.all()) text += FormatProblem("FILE", problem) + "\n";
  return text;
}

JsonDocument MustParse(std::string_view text) {
  Result<JsonDocument> document = ParseJson(text);
  REQUIRE_MESSAGE(document.has_value(), std::string(text));
  return *std::move(document);
}

}  // namespace rankd
