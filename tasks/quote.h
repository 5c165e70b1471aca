// Bytes of unknown origin in messages.
#pragma once

#include <string>
#include <string_view>

#include "engine/data/column.h"

namespace rankd {

/// `bytes` in double quotes, always valid UTF-8: quotes, backslashes, control characters and (where
/// the bytes are no UTF-8) everything beyond ASCII escaped as redis-cli does; cut when long.
std::string Quote(std::string_view bytes);

/// Value `row` of `column` for a message: 7, 0.5, true, "US", null.
std::string DescribeValue(const Column& column, std::size_t row);

}  // namespace rankd
