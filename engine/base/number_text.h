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

/// ParseInt of what has more digits than always fit.
std::optional<std::int64_t> ParseLongInt(std::string_view text);

/// `-?[0-9]+` within 64 bits, the whole of `text`; else nullopt.
inline std::optional<std::int64_t> ParseInt(std::string_view text) {
  constexpr std::size_t kSafeDigits = 18;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  if (at == end) return std::nullopt;
  if (static_cast<std::size_t>(end - at) > kSafeDigits) return ParseLongInt(text);
  std::int64_t magnitude = 0;
  for (; at != end; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) return std::nullopt;
    magnitude = magnitude * 10 + static_cast<std::int64_t>(digit);
  }
  return negative ? -magnitude : magnitude;
}

/// A JSON number (RFC 8259 grammar), the whole of `text`, finite; else nullopt.
std::optional<double> ParseFloat(std::string_view text);

}  // namespace rankd
