// Plans, registries and endpoints on disk: finding, listing and reading the files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/plan/plan.h"
#include "engine/plan/problem.h"

namespace rankd {

/// What a plan's file is called after its name.
inline constexpr std::string_view kPlanSuffix = ".plan.json";

/// `<plan_dir>/<name>.plan.json`
std::string PlanPath(std::string_view plan_dir, std::string_view name);

/// The plan name of a path that ends in `<name>.plan.json`; nullopt for any other.
std::optional<std::string> PlanNameOf(std::string_view path);

/// The names of the plans in a directory, sorted. Fails with unknown_plan when it cannot be read.
[[nodiscard]] Result<std::vector<std::string>> ListPlans(const std::string& plan_dir);

/// The path of the plan `name`. Fails with unknown_plan, naming the nearest plan there is.
[[nodiscard]] Result<std::string> FindPlan(const std::string& plan_dir, std::string_view name);

/// The bytes of a file (or a pipe). Messages do not name the path. Fails with invalid_plan: it is
/// not there, a directory, not readable, longer than `limit`.
[[nodiscard]] Result<std::string> ReadWholeFile(const std::string& path,
                                                std::size_t limit = kMaxPlanBytes);

/// ReadWholeFile, then ParseJson; what goes wrong is a problem of the whole file.
std::optional<JsonDocument> ReadJsonFile(const std::string& path, Problems& problems,
                                         std::size_t limit = kMaxPlanBytes);

/// Plans by name, for nodes that call one.
class PlanSource {
 public:
  virtual ~PlanSource() = default;
  /// The plan as it was written, with what is wrong with it in `problems`; nullptr where there is
  /// nothing to go on with. Fails with unknown_plan when there is none of that name.
  [[nodiscard]] virtual Result<std::unique_ptr<const Plan>> Load(std::string_view name,
                                                                 Problems& problems) = 0;
};

/// The plans of a directory.
class PlanDirectory final : public PlanSource {
 public:
  /// Both outlive it.
  PlanDirectory(const std::string& plan_dir, const Schema& registry)
      : plan_dir_(plan_dir), registry_(registry) {}
  Result<std::unique_ptr<const Plan>> Load(std::string_view name, Problems& problems) override;

 private:
  const std::string& plan_dir_;
  const Schema& registry_;
};

}  // namespace rankd
