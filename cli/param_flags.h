// --param NAME=VALUE against a plan's params.
#pragma once

#include <cstdint>
#include <span>

#include "cli/options.h"
#include "engine/base/result.h"
#include "engine/data/schema.h"

namespace rankd {

enum class UnknownParams : std::uint8_t { kRefuse, kIgnore };

/// Sets `values` (of `schema`) to what the flags say, the last of repeats last. An int, a float (a
/// JSON number) or a bool (true, false, 1, 0) as its type says, a string as it is. invalid_param
/// for a value that is none, a blocked param and, if so wished, an unknown one.
[[nodiscard]] Result<void> ApplyParamFlags(std::span<const ParamFlag> flags, const Schema& schema,
                                           UnknownParams unknown, ParamValues& values);

}  // namespace rankd
