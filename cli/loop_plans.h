// The plans of a stream for several loops.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cli/plan_cache.h"
#include "engine/base/result.h"
#include "engine/wire/request.h"

namespace rankd {

/// The plans that all loops have in common. Any thread.
class SharedPlans {
 public:
  /// `plans` must outlive it, and be used by nobody else meanwhile.
  explicit SharedPlans(PlanCache& plans) : plans_(plans) {}

  [[nodiscard]] Result<PlanForRequest> Find(std::string_view name);

 private:
  std::mutex mutex_;
  PlanCache& plans_;
};

/// The plans of one loop. It takes a lock for the first request of a plan only, and its handles
/// count references of their own: runs of two loops that counted in the same place would have its
/// cache line go back and forth between their cores. One thread.
class LoopPlans {
 public:
  explicit LoopPlans(SharedPlans& shared) : shared_(shared) {}

  /// As PlanCache::Find.
  [[nodiscard]] Result<PlanForRequest> Find(std::string_view name);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  SharedPlans& shared_;
  /// Plans that can be run: their number is bounded by the directory, whatever requests name.
  std::unordered_map<std::string, PlanForRequest, Hash, std::equal_to<>> by_name_;
};

}  // namespace rankd
