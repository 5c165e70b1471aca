// A graph, what its nodes do and the order in which they end, all decided by the bytes: the
// scheduler against a naive scan, and a whole run against a naive simulation.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/graph/scheduler.h"
#include "tests/fuzz/fuzz.h"
#include "tests/run/run_player.h"
#include "tests/run/run_script.h"

namespace rankd::fuzz {
namespace {

enum class State : std::uint8_t { kWaiting, kInFlight, kFinished };

/// All nodes that wait for nothing, found by looking at each.
std::vector<NodeId> NaiveReady(const InputLists& inputs, const std::vector<State>& states) {
  std::vector<NodeId> ready;
  for (std::uint32_t node = 0; node < inputs.size(); ++node) {
    const bool waits = std::ranges::any_of(
        inputs[node], [&](std::uint32_t input) { return states[input] != State::kFinished; });
    if (states[node] == State::kWaiting && !waits) ready.push_back(NodeId{node});
  }
  return ready;
}

void CompleteInAnyOrder(Scheduler& scheduler, const InputLists& inputs, Decisions& decisions) {
  const Topology topology = MakeTopology(inputs);
  std::vector<State> states(inputs.size(), State::kWaiting);
  ReadyStack ready_stack;
  std::vector<NodeId> in_flight;
  scheduler.Start(topology, ready_stack);
  for (std::size_t finished = 0; finished < inputs.size(); ++finished) {
    Require(!scheduler.done(), "done too early");
    std::vector<NodeId> ready(ready_stack.begin(), ready_stack.end());
    std::ranges::sort(ready);
    Require(ready == NaiveReady(inputs, states), "other nodes are ready");
    for (const NodeId node : ready) states[Index(node)] = State::kInFlight;
    in_flight.insert(in_flight.end(), ready.begin(), ready.end());
    ready_stack.Clear();
    Require(!in_flight.empty(), "nothing is in flight");
    const auto next =
        in_flight.begin() + static_cast<std::ptrdiff_t>(decisions.Below(in_flight.size()));
    const NodeId node = *next;
    in_flight.erase(next);
    states[Index(node)] = State::kFinished;
    scheduler.Finished(node, ready_stack);
    Require(!scheduler.overshoot(), "overshoot");
  }
  Require(scheduler.done() && ready_stack.empty(), "not done at the end");
}

}  // namespace

void FuzzSchedules(std::string_view bytes) {
  // Both are used again and again, as in the program.
  static Scheduler scheduler;
  static RunPlayer player;
  Decisions decisions(bytes);
  const RunScript script = MakeScript(16, [&] { return std::uint32_t{decisions.Byte()}; });
  const std::string difference = player.Play(script);
  Require(difference.empty(), difference);
  CompleteInAnyOrder(scheduler, script.inputs, decisions);
}

}  // namespace rankd::fuzz
