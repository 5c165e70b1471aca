// RESP, the sending half: a command is an array of bulk strings, byte for byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankd {

/// Appends "*N\r\n": a command of `arguments` arguments, the verb included.
void AppendCommandHead(std::string& out, std::size_t arguments);
/// Appends one of them.
void AppendBulkString(std::string& out, std::string_view bytes);
/// What a bulk string of `size` bytes takes besides these: "$N\r\n" and "\r\n".
std::size_t BulkFrameBytes(std::size_t size);

}  // namespace rankd
