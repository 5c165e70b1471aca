// The plans that ship with rankd are sound; those of plans/bad are wrong in the way written beside
// them, in NAME.expected: one line `POINTER: part of the message` for each problem.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/graph/graph.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/plan_files.h"
#include "engine/plan/registry.h"
#include "tasks/builtin.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

const std::string kPlans = RANKD_PLANS_DIR;

JsonDocument MustRead(const std::string& path) {
  Problems problems;
  std::optional<JsonDocument> document = ReadJsonFile(path, problems);
  REQUIRE_MESSAGE(document, path << "\n" << ShowProblems(problems));
  return *std::move(document);
}

Schema ShippedRegistry() {
  const JsonDocument document = MustRead(kPlans + "/registry.json");
  Problems problems;
  Schema schema = ParseRegistry(document.root(), problems);
  CheckErrors(problems, {});
  return schema;
}

EndpointTable ShippedEndpoints(const std::string& env) {
  const JsonDocument document = MustRead(kPlans + "/endpoints." + env + ".json");
  Problems problems;
  EndpointTable table = ParseEndpoints(document.root(), problems);
  CheckErrors(problems, {});
  return table;
}

Problems Validate(const std::string& dir, const std::string& name) {
  Problems problems;
  std::optional<JsonDocument> document = ReadJsonFile(PlanPath(dir, name), problems);
  if (!document) return problems;
  const Schema registry = ShippedRegistry();
  const auto plan = ParsePlan(*std::move(document), registry, name, problems);
  if (plan == nullptr) return problems;
  PlanDirectory callable(dir, registry);
  const auto graph =
      BuildGraph(*plan, BuiltinTasks(), ShippedEndpoints("demo"), &callable, problems);
  CHECK((graph == nullptr) == problems.has_errors());
  return problems;
}

TEST_CASE("the plans that ship are sound") {
  const Result<std::vector<std::string>> names = ListPlans(kPlans);
  REQUIRE(names);
  CHECK(!names->empty());
  for (const std::string& name : *names) {
    CAPTURE(name);
    const Problems problems = Validate(kPlans, name);
    CHECK_MESSAGE(problems.all().empty(), ShowProblems(problems));
  }
}

TEST_CASE("the endpoint files that ship are sound") {
  for (const std::string env : {"demo", "slow", "local"}) {
    CAPTURE(env);
    CHECK(ShippedEndpoints(env).Find("redis_default"));
  }
}

TEST_CASE("each bad plan is refused for the reasons written beside it") {
  const std::string dir = kPlans + "/bad";
  const Result<std::vector<std::string>> names = ListPlans(dir);
  REQUIRE(names);
  CHECK(names->size() >= 20);
  for (const std::string& name : *names) {
    CAPTURE(name);
    const Result<std::string> text = ReadWholeFile(dir + "/" + name + ".expected");
    REQUIRE(text);
    std::vector<std::string> lines;
    std::istringstream stream(*text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::vector<ExpectedProblem> expected;
    for (const std::string& line : lines) {
      const std::size_t colon = line.find(": ");
      REQUIRE(colon != std::string::npos);
      expected.push_back(
          {std::string_view(line).substr(0, colon), std::string_view(line).substr(colon + 2)});
    }
    REQUIRE(!expected.empty());
    CheckErrors(Validate(dir, name), expected);
  }
}

}  // namespace
}  // namespace rankd
