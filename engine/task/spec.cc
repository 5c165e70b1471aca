#include "engine/task/spec.h"

namespace rankd {

const TaskSpec* TaskCatalog::Find(std::string_view op) const {
  for (const TaskSpec* spec : specs_) {
    if (spec->op == op) return spec;
  }
  return nullptr;
}

}  // namespace rankd
