// CPU work on the calling thread, and what becomes of what it throws.
#pragma once

#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/region/region.h"
#include "engine/task/task.h"

namespace rankd {

/// Within a catch: tasks report what they foresee as errors; what they do not is memory that runs
/// out (limit_exceeded), or a mistake of ours (internal).
Error ErrorOfException();

/// Inline: it stands in the loop over ready nodes.
inline Result<RowSet> RunCpuTask(const CpuTask& task, const NodeContext& context) {
  try {
    return task.Run(context);
  } catch (...) {
    return std::unexpected(ErrorOfException());
  }
}

Result<void> RunRegionWork(RegionWork& work, StopToken stop);

}  // namespace rankd
