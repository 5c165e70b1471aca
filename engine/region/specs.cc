#include "engine/region/specs.h"

#include <string>

namespace rankd {

std::vector<TaskSpec> RegionSpecs() {
  return {BranchSpec(), CallSpec(), ForEachSpec(), LoopSpec(), TrySpec()};
}

std::optional<BodyRef> RequiredBody(TaskBuilder& builder, std::string_view op) {
  if (builder.Find("body") == nullptr) {
    builder.Problem("", "the op \"" + std::string(op) + "\" needs the param \"body\"");
    return std::nullopt;
  }
  return builder.Body("/body");
}

}  // namespace rankd
