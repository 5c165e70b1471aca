// The whole program behind main.
#pragma once

#include <span>
#include <string>

namespace rankd {

/// Runs the command line; the exit status. `arguments`: without the program's name.
int RunApp(std::span<const std::string> arguments);

}  // namespace rankd
