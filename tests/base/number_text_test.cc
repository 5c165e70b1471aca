#include "engine/base/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace rankd {
namespace {

std::string Float(double value) {
  std::string text;
  AppendFloat(text, value);
  return text;
}

TEST_CASE("ints of every length are written in all their digits, and nothing far behind them") {
  const auto written = [](std::int64_t value) {
    std::array<char, kMaxNumberText + 1> room;
    room.fill('~');
    char* const end = WriteInt(room.data(), value);
    CHECK(room.back() == '~');
    return std::string(room.data(), end);
  };
  for (std::int64_t value = -1'100; value <= 1'100'000; ++value) {
    const std::string text = written(value);
    if (text != std::to_string(value)) FAIL(text, " is not ", value);
  }
  std::int64_t power = 1;
  for (int digits = 0; digits < 18; ++digits, power *= 10) {
    for (const std::int64_t value : {power - 1, power, power + 1, -power}) {
      CHECK(written(value) == std::to_string(value));
    }
  }
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(written(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
}

TEST_CASE("floats are written as Python's repr writes them") {
  const struct {
    double value;
    const char* text;
  } kCases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {0.1, "0.1"},
      {-2.5, "-2.5"},
      {100000.0, "100000.0"},
      {123456789012345.0, "123456789012345.0"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {1.5e16, "1.5e+16"},
      {9999999999999998.0, "9999999999999998.0"},
      {1.2345678901234568e17, "1.2345678901234568e+17"},
      {0.0001, "0.0001"},
      {0.00012, "0.00012"},
      {0.00001, "1e-05"},
      {1.5e-7, "1.5e-07"},
      {1e100, "1e+100"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {0.30000000000000004, "0.30000000000000004"},
  };
  for (const auto& c : kCases) CHECK(Float(c.value) == c.text);
}

TEST_CASE("random doubles read back to the same bits") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::optional<double> back = ParseFloat(Float(value));
    REQUIRE(back.has_value());
    CHECK(std::bit_cast<std::uint64_t>(*back) == std::bit_cast<std::uint64_t>(value));
  }
}

TEST_CASE("decimals of a few digits are the shortest text there is") {
  // What std::to_chars makes of it is the reference: the shortest digits, without an exponent.
  const auto shortest = [](double value) {
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
    std::string text(buffer, end.ptr);
    return text.find('.') == std::string::npos ? text + ".0" : text;
  };
  std::mt19937_64 random(2);
  for (int i = 0; i < 300'000; ++i) {
    const double power = std::pow(10.0, static_cast<double>(random() % 7));
    const std::uint64_t most = std::uint64_t{1} << (random() % 54);
    double value = static_cast<double>(random() % most) / power;
    if (value != 0 && value < 0.0001) continue;
    // A neighbour of a short decimal is a long one.
    if (random() % 4 == 0 && value > 1) value = std::nextafter(value, 1e300);
    if (random() % 2 == 0 && value != 0) value = -value;
    if (std::fabs(value) >= 1e16) continue;
    REQUIRE(Float(value) == shortest(value));
  }
}

TEST_CASE("integers are digits with an optional minus, within 64 bits") {
  CHECK(ParseInt("0") == 0);
  CHECK(ParseInt("-0") == 0);
  CHECK(ParseInt("007") == 7);
  CHECK(ParseInt("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(ParseInt("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  for (const char* bad : {"", "-", "+1", " 1", "1 ", "1.0", "12abc", "0x1", "9223372036854775808",
                          "-9223372036854775809"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseInt(bad).has_value());
  }
}

TEST_CASE("floats are JSON numbers that a double can hold") {
  CHECK(ParseFloat("1") == 1.0);
  CHECK(ParseFloat("-0.5e1") == -5.0);
  CHECK(ParseFloat("1E+2") == 100.0);
  CHECK(ParseFloat("1e-999") == 0.0);
  for (const char* bad : {"", "-", "+1", "01", ".5", "1.", "1e", "1e+", "1e999", "-1e999", "nan",
                          "inf", "0x1", "1 ", " 1", "1_0", "--1"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseFloat(bad).has_value());
  }
}

TEST_CASE("integers are written with all their digits") {
  std::string text;
  AppendInt(text, std::numeric_limits<std::int64_t>::min());
  AppendInt(text, 0);
  CHECK(text == "-92233720368547758080");
}

}  // namespace
}  // namespace rankd
