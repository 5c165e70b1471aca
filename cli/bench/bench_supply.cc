#include "cli/bench/bench_supply.h"

#include <algorithm>

namespace rankd {

BenchSupply::Range BenchSupply::Take() {
  // Of no more than it was there can be left, which is all that is asked here.
  const std::uint64_t seen = next_.load(std::memory_order_relaxed);
  if (seen >= count_) return {};
  const std::uint64_t part = (count_ - seen) / (4 * takers_);
  const std::uint64_t size = std::clamp<std::uint64_t>(part, 1, most_);
  const std::uint64_t begin = next_.fetch_add(size, std::memory_order_relaxed);
  if (begin >= count_) return {};
  return {begin, std::min(begin + size, count_)};
}

}  // namespace rankd
