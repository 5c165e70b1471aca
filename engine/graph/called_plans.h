// The plans that a plan calls, directly and through others: loaded, told apart from recursion, and
// brought to one numbering of keys, so that rows can pass from one to the other.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/schema.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_files.h"
#include "engine/plan/problem.h"

namespace rankd {

/// Plans of more than this many names deep in each other are refused.
inline constexpr std::size_t kMaxCallDepth = 32;

class CalledPlans {
 public:
  struct Entry {
    std::string name;
    std::unique_ptr<const Plan> plan;
    std::shared_ptr<const Schema> schema;  ///< The plan's, in the common numbering.
  };

  /// Loads what `root` calls. `source` may be nullptr.
  CalledPlans(const Plan& root, PlanSource* source);

  /// Those that can be called, each after those it calls.
  const std::vector<Entry>& all() const { return entries_; }
  /// Of the others: why not.
  const std::map<std::string, std::string, std::less<>>& refused() const { return refused_; }
  /// The root plan's schema in the common numbering.
  const std::shared_ptr<const Schema>& root_schema() const { return root_schema_; }

 private:
  /// Why the plan cannot be called; empty when it can.
  std::string Load(std::string_view name);
  std::string Read(std::string_view name, Entry& entry);
  std::string AddKeys(const Schema& schema);

  PlanSource* source_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string, std::less<>> refused_;
  std::vector<std::string> chain_;  ///< Names from the root in.
  Schema common_;                   ///< Every plan's keys; those of the root first.
  std::shared_ptr<const Schema> root_schema_;
};

/// How the plan `name` is refused: the first of its problems, and how many more there are.
std::string RefusedFor(std::string_view name, const Problems& problems);

}  // namespace rankd
