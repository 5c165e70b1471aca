// A run written down in full: a graph, what each node does and how long it takes, the limits, when
// it is cancelled. And what must come of it, worked out naively: what the Run is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/cpu_mode.h"
#include "engine/base/error.h"
#include "tests/run/graph_fixture.h"

namespace rankd {

/// All times are whole milliseconds. Ends of nodes are multiples of four, and each kind of limit
/// has a remainder of its own, so that two of different kinds never tie.
struct NodeScript {
  enum class Place : std::uint8_t {
    kLoop,    ///< A coroutine.
    kByCost,  ///< CPU work that takes no time: inline, or with CpuMode::kOffload on the pool.
    kPool,
  };
  Place place = Place::kByCost;
  int delay = 0;  ///< How long it takes.
  std::optional<ErrorCode> failure;
  std::optional<int> timeout;  ///< 4n + 1, or 0: none, whatever the request says.
};

struct RunScript {
  InputLists inputs;
  std::vector<NodeScript> nodes;
  int node_timeout = 0;  ///< Of the request: 4n + 1; 0: none.
  int deadline = 0;      ///< 4n + 2; 0: none.
  int cancelled_at = 0;  ///< 4n + 3; 0: never.
  CpuMode cpu = CpuMode::kAuto;

  std::string ToText() const;
};

/// How the run of a script must end.
struct Outcome {
  enum class Begins : std::uint8_t { kNot, kPerhaps, kOnce };
  int at = 0;                            ///< Milliseconds after the start.
  std::optional<ErrorCode> error;        ///< Nullopt: it succeeds.
  std::vector<std::size_t> failing;      ///< Nodes that fail at that time; one of them is to blame.
  std::vector<std::int64_t> output_ids;  ///< When it succeeds.
  std::vector<Begins> begins;            ///< Per node; perhaps: at the time of the failure.
};

/// By going over the nodes in order: edges go upwards.
Outcome Simulate(const RunScript& script);

/// Gives the next number; 0 for ever leads to a small script.
using ScriptNumbers = std::function<std::uint32_t()>;

/// A script of up to `max_nodes` nodes.
RunScript MakeScript(std::size_t max_nodes, const ScriptNumbers& next);

}  // namespace rankd
