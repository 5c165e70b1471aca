// Random graphs with random delays on the loop and on the pool, failures, timeouts, deadlines and
// cancellations, against a naive simulation in time.
#include <cstdint>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "tests/run/run_player.h"
#include "tests/run/run_script.h"

namespace rankd {
namespace {

void PlayMany(std::uint32_t seed, int rounds, std::size_t max_nodes) {
  std::mt19937 random(seed);
  RunPlayer player;
  int failed = 0;
  for (int round = 0; round < rounds; ++round) {
    const RunScript script =
        MakeScript(max_nodes, [&] { return static_cast<std::uint32_t>(random()); });
    if (Simulate(script).error) ++failed;
    const std::string difference = player.Play(script);
    REQUIRE_MESSAGE(difference.empty(), difference);
  }
  CHECK(failed > rounds / 10);
  CHECK(failed < rounds - rounds / 10);
}

TEST_CASE("random runs end when and as a naive simulation says") { PlayMany(11, 5'000, 15); }

TEST_CASE("random runs of larger graphs end when and as a naive simulation says") {
  PlayMany(12, 500, 60);
}

}  // namespace
}  // namespace rankd
