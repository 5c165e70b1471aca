// Where CPU work runs: on the loop thread when that is cheaper than handing it over, else on the
// pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/cpu_mode.h"
#include "engine/task/task.h"

namespace rankd {

/// Work estimated to take longer than this is handed to the pool: a hand-over and back costs some
/// twenty microseconds (bench/README.md), of which this is ten, and work on the loop delays every
/// timer by as much as it takes, of which 2 ms are what a deadline may be late.
inline constexpr double kInlineNanoseconds = 200'000;

/// True when a task of that placement is to run on the loop thread, where it would take
/// `nanoseconds` by estimate.
inline bool RunsInline(Placement placement, double nanoseconds, CpuMode mode) {
  if (placement != Placement::kByCost) return placement == Placement::kInline;
  if (mode != CpuMode::kAuto) return mode == CpuMode::kInline;
  return nanoseconds <= kInlineNanoseconds;
}

/// The same for inputs of `rows` rows in all.
inline bool RunsInline(const CpuTask& task, std::size_t rows, CpuMode mode) {
  return RunsInline(task.placement(), task.cost().Of(rows), mode);
}

}  // namespace rankd
