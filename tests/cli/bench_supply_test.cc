#include "cli/bench/bench_supply.h"

#include <cstdint>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

TEST_CASE("threads take every number once, and none takes much of what is left") {
  constexpr std::uint64_t kCount = 100'000;
  BenchSupply supply(kCount, 3, false);
  std::vector<std::vector<BenchSupply::Range>> taken(3);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : taken) {
      threads.emplace_back([&supply, &mine] {
        for (;;) {
          const BenchSupply::Range range = supply.Take();
          if (range.empty()) return;
          mine.push_back(range);
        }
      });
    }
  }
  std::vector<int> times(kCount);
  for (const auto& mine : taken) {
    for (const BenchSupply::Range range : mine) {
      CHECK(range.end - range.begin <= 16);
      // Two others may have taken some in between.
      CHECK(range.end - range.begin <= (kCount - range.begin + 2 * 16) / 12 + 1);
      for (std::uint64_t i = range.begin; i < range.end; ++i) ++times[i];
    }
  }
  CHECK(times == std::vector<int>(kCount, 1));
  CHECK(supply.Take().empty());
}

TEST_CASE("numbers in turn are taken one at a time") {
  BenchSupply supply(1000, 2, true);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const BenchSupply::Range range = supply.Take();
    REQUIRE(range.begin == i);
    REQUIRE(range.end == i + 1);
  }
  CHECK(supply.Take().empty());
  CHECK(BenchSupply(0, 1, false).Take().empty());
}

}  // namespace
}  // namespace rankd
