// Numbers as text, both ways, in the exact forms of the response format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankd {

/// The longest text of an int or a float that is written.
inline constexpr std::size_t kMaxNumberText = 32;

/// Writes all digits of `value` to `out`, which has room for kMaxNumberText; gives their end.
char* WriteInt(char* out, std::int64_t value);
/// The same as AppendFloat does.
char* WriteFloat(char* out, double value);

/// Appends all digits of `value`.
void AppendInt(std::string& out, std::int64_t value);

/// Appends the shortest text that reads back to the same double, in Python's form: "0.1",
/// "100000.0", "1e+16", "5e-324", "-0.0". `value` must be finite.
void AppendFloat(std::string& out, double value);

/// `-?[0-9]+` within 64 bits, the whole of `text`; else nullopt.
std::optional<std::int64_t> ParseInt(std::string_view text);

/// A JSON number (RFC 8259 grammar), the whole of `text`, finite; else nullopt.
std::optional<double> ParseFloat(std::string_view text);

}  // namespace rankd
