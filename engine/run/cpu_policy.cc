#include "engine/run/cpu_policy.h"

namespace rankd {

bool RunsInline(const CpuTask& task, std::size_t rows, CpuMode mode) {
  switch (task.placement()) {
    case Placement::kInline:
      return true;
    case Placement::kPool:
      return false;
    case Placement::kByCost:
      break;
  }
  switch (mode) {
    case CpuMode::kInline:
      return true;
    case CpuMode::kOffload:
      return false;
    case CpuMode::kAuto:
      break;
  }
  return task.EstimateCost(rows) <= kInlineNanoseconds;
}

}  // namespace rankd
