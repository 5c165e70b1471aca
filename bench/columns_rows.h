// The rows of the column benches: the same everywhere, columns_duckdb.mjs included, which makes
// them with the same arithmetic.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace rankd {

inline constexpr std::array<std::string_view, 8> kCountries = {"US", "CA", "MX", "BR",
                                                               "FR", "DE", "JP", "NG"};
/// The first so many are those that are kept.
inline constexpr std::size_t kKeptCountries = 6;
inline constexpr std::size_t kTaken = 100;

/// Plain columns.
struct PlainRows {
  std::vector<std::int64_t> id;        ///< 1…rows, shuffled.
  std::vector<std::int64_t> n;         ///< 0…999.
  std::vector<std::uint32_t> country;  ///< In kCountries.
  double cut = 0;                      ///< Half of the rows have a kept country and such a score.
};

inline double ScoreOf(std::int64_t id, std::int64_t n) {
  return static_cast<double>(id) * 0.37 + static_cast<double>(n) / 3.0;
}

inline PlainRows MakePlainRows(std::size_t rows) {
  std::uint32_t state = 2463534242U;
  const auto below = [&](std::size_t limit) {  // xorshift32
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return static_cast<std::size_t>(std::uint64_t{state} * limit >> 32);
  };
  PlainRows made;
  made.id.resize(rows);
  std::iota(made.id.begin(), made.id.end(), std::int64_t{1});
  for (std::size_t i = rows; i-- > 1;) std::swap(made.id[i], made.id[below(i + 1)]);
  for (std::size_t i = 0; i < rows; ++i) {
    made.n.push_back(static_cast<std::int64_t>(below(1000)));
    made.country.push_back(static_cast<std::uint32_t>(below(kCountries.size())));
  }
  std::vector<double> scores;
  for (std::size_t i = 0; i < rows; ++i) {
    if (made.country[i] < kKeptCountries) scores.push_back(ScoreOf(made.id[i], made.n[i]));
  }
  std::ranges::sort(scores, std::greater());
  made.cut = scores.empty() ? 0 : scores[std::min(scores.size(), rows / 2) - 1];
  return made;
}

}  // namespace rankd
