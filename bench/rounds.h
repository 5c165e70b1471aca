// Rounds in which candidates take turns, so that what disturbs the machine disturbs all of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rankd {

/// One of those that are compared.
struct Candidate {
  std::string name;
  std::function<void()> run;
  std::vector<double> ns_each{};  ///< By round.

  double median() const { return MedianOf(ns_each); }
  double least() const { return std::ranges::min(ns_each); }
  double most() const { return std::ranges::max(ns_each); }
  /// How many times as long as `other`: the median of what single rounds say. On a machine that
  /// changes its speed between rounds, medians of the two may be of different speeds.
  double TimesOf(const Candidate& other) const {
    std::vector<double> times;
    for (std::size_t i = 0; i < ns_each.size(); ++i) times.push_back(ns_each[i] / other.ns_each[i]);
    return MedianOf(std::move(times));
  }

  static double MedianOf(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }
};

/// `rounds` rounds of `runs` runs of each, every other round in the opposite order; `things` is how
/// many of what is counted a run does.
inline void MeasureRounds(std::vector<Candidate>& candidates, std::size_t rounds, std::size_t runs,
                          std::size_t things) {
  for (Candidate& candidate : candidates) candidate.run();  // warms up
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < candidates.size(); ++turn) {
      Candidate& candidate = candidates[round % 2 == 0 ? turn : candidates.size() - 1 - turn];
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < runs; ++i) candidate.run();
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      candidate.ns_each.push_back(taken.count() / static_cast<double>(runs * things));
    }
  }
}

}  // namespace rankd
