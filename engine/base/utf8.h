// UTF-8: validity, repair, and length in code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankd {

/// U+FEFF, which some programs write before a text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// True for well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
bool IsValidUtf8(std::string_view text);

/// `text` with U+FFFD for each byte that begins no well-formed sequence.
std::string ReplaceInvalidUtf8(std::string_view text);

/// Number of code points of valid UTF-8.
std::size_t CodePointCount(std::string_view text);

}  // namespace rankd
