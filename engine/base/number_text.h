// Numbers as text, both ways, in the exact forms of the response format.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace rankd {

/// The longest text of an int or a float that is written.
inline constexpr std::size_t kMaxNumberText = 32;

/// "00", "01", … "99".
inline constexpr auto kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

/// Of ASCII, whatever the locale.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// WriteInt of what has a sign or many digits.
char* WriteLongInt(char* out, std::int64_t value);

/// Writes all digits of `value` to `out`, which has room for kMaxNumberText; gives their end.
inline char* WriteInt(char* out, std::int64_t value) {
  constexpr std::uint64_t kFiveDigits = 100'000;
  const auto digits = static_cast<std::uint64_t>(value);
  if (std::endian::native != std::endian::little || digits >= kFiveDigits) {
    return WriteLongInt(out, value);
  }
  // Most keys and ids: five digits, less the zeros in front, without a branch on how many.
  const auto small = static_cast<std::uint32_t>(digits);
  const std::uint32_t four = small % 10'000;
  std::uint16_t first;
  std::uint16_t second;
  std::memcpy(&first, &kDigitPairs[std::size_t{2} * (four / 100)], 2);
  std::memcpy(&second, &kDigitPairs[std::size_t{2} * (four % 100)], 2);
  const std::uint64_t text =
      std::uint64_t{'0' + small / 10'000} | std::uint64_t{first} << 8 | std::uint64_t{second} << 24;
  const auto zeros =
      static_cast<std::uint32_t>(small < 10) + static_cast<std::uint32_t>(small < 100) +
      static_cast<std::uint32_t>(small < 1000) + static_cast<std::uint32_t>(small < 10'000);
  const std::uint64_t shown = text >> (8 * zeros);
  std::memcpy(out, &shown, sizeof(shown));
  return out + 5 - zeros;
}
/// The same as AppendFloat does.
char* WriteFloat(char* out, double value);

/// How many characters WriteInt writes.
std::size_t IntTextSize(std::int64_t value);

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
