#include "engine/graph/scheduler.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/topologies.h"

namespace rankd {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;  // inputs of each node

/// The naive scheduler: scans all nodes for those whose inputs are all finished.
std::set<std::uint32_t> NaiveReady(const Edges& inputs, const std::set<std::uint32_t>& finished,
                                   const std::set<std::uint32_t>& started) {
  std::set<std::uint32_t> ready;
  for (std::uint32_t node = 0; node < inputs.size(); ++node) {
    if (started.contains(node)) continue;
    if (std::all_of(inputs[node].begin(), inputs[node].end(),
                    [&](std::uint32_t input) { return finished.contains(input); })) {
      ready.insert(node);
    }
  }
  return ready;
}

TEST_CASE("random graphs become ready as a naive scan says, in any order of completion") {
  std::mt19937 random(3);
  Scheduler scheduler;
  for (int round = 0; round < 300; ++round) {
    const Edges inputs = RandomInputs(1 + random() % 40, random);
    const Topology topology = MakeTopology(inputs);
    ReadyStack ready;
    scheduler.Start(topology, ready);
    std::set<std::uint32_t> started;
    std::set<std::uint32_t> finished;
    std::vector<std::uint32_t> in_flight;
    while (finished.size() < inputs.size()) {
      std::set<std::uint32_t> now_ready;
      for (const NodeId id : ready) {
        REQUIRE(now_ready.insert(static_cast<std::uint32_t>(Index(id))).second);
      }
      REQUIRE(now_ready == NaiveReady(inputs, finished, started));
      for (const std::uint32_t node : now_ready) {
        started.insert(node);
        in_flight.push_back(node);
      }
      ready.Clear();
      REQUIRE_FALSE(in_flight.empty());
      const std::size_t pick = random() % in_flight.size();
      const std::uint32_t node = in_flight[pick];
      in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(pick));
      finished.insert(node);
      CHECK(scheduler.done() == false);
      scheduler.Finished(NodeId{node}, ready);
    }
    CHECK(scheduler.done());
    CHECK(ready.empty());
    CHECK_FALSE(scheduler.overshoot().has_value());
  }
}

TEST_CASE("a completion that nobody waited for is noticed, and names its node") {
  const Topology topology = MakeTopology({{}, {0}});
  Scheduler scheduler;
  ReadyStack ready;
  scheduler.Start(topology, ready);
  scheduler.Finished(NodeId{0}, ready);
  scheduler.Finished(NodeId{0}, ready);
  REQUIRE(scheduler.overshoot().has_value());
  CHECK(*scheduler.overshoot() == NodeId{1});
}

TEST_CASE("a scheduler starts afresh on another graph") {
  Scheduler scheduler;
  ReadyStack ready;
  const Topology big = MakeTopology({{}, {0}, {1}});
  const Topology small = MakeTopology({{}});
  scheduler.Start(big, ready);
  ready.Clear();
  scheduler.Start(small, ready);
  CHECK(std::ranges::equal(ready, std::vector<NodeId>{NodeId{0}}));
  scheduler.Finished(NodeId{0}, ready);
  CHECK(scheduler.done());
}

}  // namespace
}  // namespace rankd
