// A plan as it was written: names and positions, nothing resolved. Immutable after parsing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/data/schema.h"
#include "engine/plan/failure_policy.h"
#include "engine/plan/problem.h"

namespace rankd {

inline constexpr std::size_t kMaxNodes = 1'000'000;
inline constexpr std::size_t kMaxPlanBytes = std::size_t{256} << 20;

/// Bodies deeper than this are refused: they are read, built and cancelled by recursion.
inline constexpr std::size_t kMaxBodyDepth = 64;

struct PlanBody;

/// Views point into the plan's document.
struct PlanNode {
  std::string_view id;  ///< Empty when it could not be read.
  /// Without its namespace: "viewer" for "core::viewer". Empty when it could not be read or is
  /// refused already.
  std::string_view op;
  /// As written; one that is no node id (a problem already) is an empty view, to keep the places.
  std::vector<std::string_view> inputs;
  const Json* params = nullptr;  ///< An object, or nullptr when absent or null.
  bool inputs_broken = false;    ///< `inputs` could not be read: their number means nothing.
  bool params_broken = false;    ///< `params` could not be read: nothing can be said of them.
  std::optional<std::int64_t> timeout_ms;
  bool effect = false;
  std::optional<RetryPolicy> retry;
  OnError on_error = OnError::kFail;
  std::string_view trace;        ///< params.trace, a label for traces.
  std::size_t index = 0;         ///< In the `nodes` it stands in.
  std::vector<PlanBody> bodies;  ///< Those its params hold, in the order of the op's params.
};

/// Nodes and outputs: of a plan, or of a body that stands in a node's params.
struct PlanBody {
  std::string pointer;          ///< JSON pointer of the object; "" for a plan.
  std::vector<PlanNode> nodes;  ///< In the file's order; what is no object is left out.
  std::vector<std::string_view> outputs;
  std::vector<std::size_t> output_indices;  ///< Where each stood in the file's `outputs`.

  /// What the op of its node adds to the names that may be used inside.
  std::string_view loop_variable;         ///< L.name; empty for none.
  bool has_carry = false;                 ///< `$carry`
  bool has_error = false;                 ///< E.code, E.message, E.node
  std::optional<ErrorCodes> catch_codes;  ///< Of a catch that lists them.

  std::string NodePointer(const PlanNode& node) const {
    return JsonPointer(pointer + "/nodes", node.index);
  }
};

/// A plan's own pointer is empty, and nothing is added to its names.
struct Plan : PlanBody {
  explicit Plan(JsonDocument parsed) : document(std::move(parsed)) {}

  std::string name;
  JsonDocument document;
  std::shared_ptr<const Schema> schema;  ///< The registry's with the plan's own entries.
  const Json* expr_table = nullptr;
  const Json* pred_table = nullptr;
};

/// Checks the shape of a plan document: fields, types, names, limits, capabilities; merges its keys
/// and params into a copy of `registry`. What only a graph can tell (ops, edges, params) is
/// BuildGraph's. `expected_name`: the file's stem when loaded by name, else empty. Returns as much
/// as could be read, nullptr when there is nothing to go on with (not an object); all problems are
/// added to `problems`.
std::unique_ptr<Plan> ParsePlan(JsonDocument document, const Schema& registry,
                                std::string_view expected_name, Problems& problems);

/// `[A-Za-z0-9_]+`
bool IsPlanName(std::string_view name);

}  // namespace rankd
