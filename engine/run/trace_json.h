// A run's trace as it stands in a response.
#pragma once

#include <string>

#include "engine/run/trace.h"

namespace rankd {

/// Appends `{"nodes":[{"node":…,"op":…,"ready_us":…,"start_us":…,"end_us":…,"ran_on":"loop",
/// "rows_in":…,"rows_out":…}],"critical_path":["v","f"],"total_us":…}` without spaces. Times are
/// whole microseconds since the run's start; nodes stand in the order of their starts.
void AppendTraceJson(std::string& out, const RunTrace& trace);

}  // namespace rankd
