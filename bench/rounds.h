// Rounds in which candidates take turns, so that what disturbs the machine disturbs all of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace rankd {

/// One of those that are compared.
struct Candidate {
  std::string name;
  std::function<void()> run;
  std::vector<double> ns_each{};  ///< By round.

  double median() const {
    std::vector<double> sorted = ns_each;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  double least() const { return std::ranges::min(ns_each); }
  double most() const { return std::ranges::max(ns_each); }
};

/// `rounds` rounds of `runs` runs of each; `things` is how many of what is counted a run does.
inline void MeasureRounds(std::vector<Candidate>& candidates, std::size_t rounds, std::size_t runs,
                          std::size_t things) {
  for (Candidate& candidate : candidates) candidate.run();  // warms up
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Candidate& candidate : candidates) {
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < runs; ++i) candidate.run();
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      candidate.ns_each.push_back(taken.count() / static_cast<double>(runs * things));
    }
  }
}

}  // namespace rankd
