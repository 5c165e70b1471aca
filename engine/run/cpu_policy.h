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
/// ten microseconds, and work on the loop delays every timer by as much as it takes, so the
/// threshold is a few hand-overs and far below the 2 ms a deadline may be late.
inline constexpr double kInlineNanoseconds = 50'000;

/// True when `task` is to run on the loop thread for inputs of `rows` rows in all.
bool RunsInline(const CpuTask& task, std::size_t rows, CpuMode mode);

}  // namespace rankd
