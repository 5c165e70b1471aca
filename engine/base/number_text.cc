#include "engine/base/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace rankd {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

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

}  // namespace

void AppendInt(std::string& out, std::int64_t value) {
  char buffer[24];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end.ptr);
}

void AppendFloat(std::string& out, double value) {
  // Shortest digits from to_chars, laid out by Python's rule for repr(float): exponent form when
  // the decimal exponent is below -4 or at least 16. to_chars alone picks the shorter of both.
  char buffer[40];
  const std::to_chars_result end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<std::size_t>(end.ptr - buffer));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* exponent_begin = text.data() + e + 1;
  if (*exponent_begin == '+') ++exponent_begin;
  std::from_chars(exponent_begin, end.ptr, exponent);
  std::string_view mantissa = text.substr(0, e);
  if (mantissa.front() == '-') {
    out.push_back('-');
    mantissa.remove_prefix(1);
  }
  char digits[24];
  std::size_t count = 0;
  for (const char c : mantissa) {
    if (c != '.') digits[count++] = c;
  }
  if (exponent < -4 || exponent >= 16) {
    out.push_back(digits[0]);
    if (count > 1) {
      out.push_back('.');
      out.append(digits + 1, count - 1);
    }
    out.push_back('e');
    out.push_back(exponent < 0 ? '-' : '+');
    const int magnitude = exponent < 0 ? -exponent : exponent;
    if (magnitude < 10) out.push_back('0');
    AppendInt(out, magnitude);
    return;
  }
  if (exponent < 0) {
    out.append("0.");
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out.append(digits, count);
    return;
  }
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  if (count <= whole) {
    out.append(digits, count);
    out.append(whole - count, '0');
    out.append(".0");
    return;
  }
  out.append(digits, whole);
  out.push_back('.');
  out.append(digits + whole, count - whole);
}

std::optional<std::int64_t> ParseInt(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
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
