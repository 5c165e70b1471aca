// Activation: one run of a graph: of the plan, or of a body. Its counters, its results and what its
// expressions see. Owned and recycled by the Run, one loop thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/data/rowset.h"
#include "engine/data/schema.h"
#include "engine/expr/expression.h"
#include "engine/graph/graph.h"
#include "engine/graph/scheduler.h"
#include "engine/run/trace.h"

namespace rankd {

class ActiveNode;
struct Activation;

/// Who waits for the rows of a captured node. The activation may have ended since: then its
/// generation is another.
struct CaptureWaiter {
  Activation* activation = nullptr;
  std::uint64_t generation = 0;
  NodeId import{};             ///< Its number there.
  std::uint32_t next = kNone;  ///< In Activation::waiters, of the same node.
  static constexpr std::uint32_t kNone = 0xffffffff;
};

struct Activation {
  /// Forgets any use before; follows the graph's schedule if it has one and `may_schedule`.
  /// O(nodes); no allocation after one as large.
  void Begin(const Graph& body, bool may_schedule);
  /// Goes on without the schedule, from where it stands: what is ready is on the stack from now on.
  /// O(nodes + edges).
  void LeaveSchedule();
  /// Lets go of what it held; ready for another use.
  void Clear();

  EvalEnv Env() const {
    EvalEnv env;
    env.params = params;
    env.schema = graph->schema.get();
    env.loop_values = loop_values;
    env.error = error;
    return env;
  }

  bool HasReady() const {
    return scheduled ? position < graph->layout.schedule.size() : !ready.empty();
  }
  /// All nodes have finished.
  bool Done() const {
    return scheduled ? position == graph->layout.schedule.size() : scheduler.done();
  }

  /// The activation `levels` bodies outwards.
  Activation& Around(std::uint32_t levels) {
    Activation* scope = this;
    for (; levels > 0; --levels) scope = scope->outer;
    return *scope;
  }

  const Graph* graph = nullptr;
  Activation* outer = nullptr;     ///< Of the scope its node stands in; nullptr for the plan.
  ActiveNode* holder = nullptr;    ///< Its node there.
  std::uint64_t holder_epoch = 0;  ///< The holder's, when it began; another now: it has been ended.
  std::uint64_t number = 0;        ///< As BodyStart::activation.

  bool scheduled = false;    ///< Follows the graph's schedule: the three after `position` idle.
  std::size_t position = 0;  ///< In the schedule: the steps before it have ended.
  Scheduler scheduler;
  ReadyStack ready;
  std::vector<std::uint32_t> consumers_left;  ///< Per node and import.
  std::vector<RowSet> results;                ///< Per node and import, until the last consumer.
  std::optional<RowSet> carry;                ///< `$carry`
  std::uint32_t imports_awaited = 0;          ///< Captured rows that have not come.

  const ParamValues* params = nullptr;
  std::vector<std::int64_t> loop_values;  ///< By slot.
  const Error* error = nullptr;

  // Of nodes that bodies capture.
  std::vector<CaptureWaiter> waiters;
  std::vector<std::uint32_t> first_waiter;  ///< Per node; empty while nobody has waited.
  std::vector<bool> demanded;               ///< Per node; empty while nothing has been.

  ActiveNode* active = nullptr;    ///< First of its nodes that are under way.
  Activation* previous = nullptr;  ///< Among those of its holder.
  Activation* next = nullptr;
  std::uint64_t generation = 0;  ///< Changes when it ends.
  bool queued = false;           ///< In the run's queue.
  bool ended = false;            ///< In the queue no longer for itself: to be recycled.
  TraceRecorder::Scope trace;
};

/// The activations of one run: those in use and spare ones. Addresses are stable.
class Activations {
 public:
  Activation& Acquire();
  void Recycle(Activation& activation) { spare_.push_back(&activation); }

 private:
  std::vector<std::unique_ptr<Activation>> all_;
  std::vector<Activation*> spare_;
};

}  // namespace rankd
