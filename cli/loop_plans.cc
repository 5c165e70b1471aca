#include "cli/loop_plans.h"

#include <memory>
#include <utility>

namespace rankd {

Result<PlanForRequest> SharedPlans::Find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return plans_.Find(name);
}

Result<PlanForRequest> LoopPlans::Find(std::string_view name) {
  auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    RANKD_TRY(PlanForRequest shared, shared_.Find(name));
    const PlanInterface* plan = shared.plan.get();
    auto holder = std::make_shared<std::shared_ptr<const PlanInterface>>(std::move(shared.plan));
    const PlanForRequest own{{std::move(holder), plan}, shared.defaults};
    found = by_name_.emplace(std::string(name), own).first;
  }
  return found->second;
}

}  // namespace rankd
