// How long requests are started in one turn of a loop.
#pragma once

#include <chrono>

#include "engine/base/clock.h"

namespace rankd {

/// Then the loop looks at its timers and sockets: the first requests' deadlines do not wait until
/// the last of a block has been started, each of which may take a turn's work at once.
inline constexpr Duration kTurnBudget = std::chrono::milliseconds(1);

}  // namespace rankd
