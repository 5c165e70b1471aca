#include "engine/base/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace rankd {
namespace {

/// RFC 8259: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool IsJsonNumber(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i > begin;
  };
  if (i < text.size() && text[i] == '-') ++i;
  if (i < text.size() && text[i] == '0') {
    ++i;
  } else if (!digits()) {
    return false;
  }
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

/// How many digits `value` has.
std::size_t DigitCount(std::uint64_t value) {
  std::size_t count = 1;
  for (; value >= 10'000; value /= 10'000) count += 4;
  if (value >= 1000) return count + 3;
  if (value >= 100) return count + 2;
  return value >= 10 ? count + 1 : count;
}

char* WriteDigits(char* out, std::uint64_t value) {
  char* const end = out + DigitCount(value);
  char* at = end;
  for (; value >= 100; value /= 100) {
    at -= 2;
    std::memcpy(at, &kDigitPairs[2 * (value % 100)], 2);
  }
  if (value >= 10) {
    std::memcpy(out, &kDigitPairs[2 * value], 2);
  } else {
    *out = static_cast<char>('0' + value);
  }
  return end;
}

/// What most scores and counts are: a decimal of at most 15 digits, three of them behind the point.
/// Nullptr for others.
///
/// m / 10^k, divided by the processor, is the double nearest to that decimal. If it is `value`, the
/// decimal reads back to it; and of two decimals of at most 15 digits no double is the nearest to
/// both, so it is the shortest text. Ten times as fast as the general way.
char* WriteShortDecimal(char* out, double value) {
  const double magnitude = std::fabs(value);
  if (!(magnitude < 1e11) || (value == 0 && std::signbit(value))) return nullptr;
  int places = 0;
  std::int64_t power = 1;
  std::int64_t digits = 0;  // below 10^14
  for (;; ++places, power *= 10) {
    digits = static_cast<std::int64_t>(magnitude * static_cast<double>(power) + 0.5);
    if (static_cast<double>(digits) / static_cast<double>(power) == magnitude) break;
    if (places == 3) return nullptr;
  }
  if (value < 0) *out++ = '-';
  out = WriteDigits(out, static_cast<std::uint64_t>(digits / power));
  *out++ = '.';
  if (places == 0) {
    *out++ = '0';
    return out;
  }
  std::int64_t behind = digits % power;
  for (int place = places; place-- > 0; behind /= 10) {
    out[place] = static_cast<char>('0' + behind % 10);
  }
  return out + places;
}

}  // namespace

char* WriteLongInt(char* out, std::int64_t value) {
  auto rest = static_cast<std::uint64_t>(value);
  if (value < 0) {
    *out++ = '-';
    rest = 0 - rest;
  }
  return WriteDigits(out, rest);
}

char* WriteFloat(char* out, double value) {
  if (char* end = WriteShortDecimal(out, value)) return end;
  // Shortest digits from to_chars, laid out by Python's rule for repr(float): exponent form when
  // the decimal exponent is below -4 or at least 16. to_chars alone picks the shorter of both.
  char buffer[kMaxNumberText];
  const std::to_chars_result written =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* exponent_begin = text.data() + e + 1;
  if (*exponent_begin == '+') ++exponent_begin;
  std::from_chars(exponent_begin, written.ptr, exponent);
  std::string_view mantissa = text.substr(0, e);
  if (mantissa.front() == '-') {
    *out++ = '-';
    mantissa.remove_prefix(1);
  }
  char digits[kMaxNumberText];
  std::size_t count = 0;
  for (const char c : mantissa) {
    if (c != '.') digits[count++] = c;
  }
  if (exponent < -4 || exponent >= 16) {
    *out++ = digits[0];
    if (count > 1) {
      *out++ = '.';
      out = std::copy_n(digits + 1, count - 1, out);
    }
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    const int magnitude = exponent < 0 ? -exponent : exponent;
    if (magnitude < 10) *out++ = '0';
    return WriteInt(out, magnitude);
  }
  if (exponent < 0) {
    *out++ = '0';
    *out++ = '.';
    out = std::fill_n(out, -exponent - 1, '0');
    return std::copy_n(digits, count, out);
  }
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  if (count <= whole) {
    out = std::copy_n(digits, count, out);
    out = std::fill_n(out, whole - count, '0');
    *out++ = '.';
    *out++ = '0';
    return out;
  }
  out = std::copy_n(digits, whole, out);
  *out++ = '.';
  return std::copy_n(digits + whole, count - whole, out);
}

std::size_t IntTextSize(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 1 + DigitCount(0 - bits) : DigitCount(bits);
}

void AppendInt(std::string& out, std::int64_t value) {
  char buffer[kMaxNumberText];
  out.append(buffer, static_cast<std::size_t>(WriteInt(buffer, value) - buffer));
}

void AppendFloat(std::string& out, double value) {
  char buffer[kMaxNumberText];
  out.append(buffer, static_cast<std::size_t>(WriteFloat(buffer, value) - buffer));
}

std::optional<std::int64_t> ParseLongInt(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> ParseFloat(std::string_view text) {
  if (!IsJsonNumber(text)) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec == std::errc::result_out_of_range) {
    // Too small for a double is zero; too large has no value. from_chars leaves `value` alone in
    // both cases, so tell them apart by the number that strtod gives.
    value = std::strtod(std::string(text).c_str(), nullptr);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

}  // namespace rankd
