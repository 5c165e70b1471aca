#include "cli/failure_counts.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace rankd {

void FailureCounts::Add(const FailureCounts& others) {
  for (std::size_t code = 0; code < kErrorCodeCount; ++code) counts_[code] += others.counts_[code];
}

std::uint64_t FailureCounts::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string FailureCounts::Summary(std::uint64_t requests) const {
  std::vector<std::size_t> codes;
  for (std::size_t i = 0; i < kErrorCodeCount; ++i) {
    if (counts_[i] > 0) codes.push_back(i);
  }
  // Codes break ties. (std::stable_sort of libstdc++ 12 warns under clang.)
  std::sort(codes.begin(), codes.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(counts_[b], a) < std::pair(counts_[a], b);
  });
  std::string text =
      std::to_string(total()) + " of " + std::to_string(requests) + " requests failed:";
  for (const std::size_t code : codes) {
    text += " " + std::string(CodeName(static_cast<ErrorCode>(code))) + " " +
            std::to_string(counts_[code]) + ",";
  }
  text.pop_back();
  return text;
}

}  // namespace rankd
