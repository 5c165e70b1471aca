// The part of Run that sees to bodies: their activations, what they name from outside, their ends.
#include <string>
#include <utility>

#include "engine/base/check.h"
#include "engine/run/cpu_policy.h"
#include "engine/run/cpu_work.h"
#include "engine/run/run.h"
#include "engine/run/turn_cost.h"

namespace rankd {
namespace {

/// Ids of blocked nodes that an error names.
constexpr std::size_t kBlockedShown = 8;

/// The body's rows: those of its outputs, one after the other.
Result<RowSet> OutputOf(Activation& activation) {
  const Graph& graph = *activation.graph;
  if (graph.outputs.size() == 1) {
    return std::move(activation.results[Index(graph.outputs.front())]);
  }
  std::vector<RowSet> parts;
  parts.reserve(graph.outputs.size());
  for (const NodeId output : graph.outputs) parts.push_back(activation.results[Index(output)]);
  return Concat(*graph.schema, parts);
}

}  // namespace

void Run::StartRegion(ActiveNode& active) {
  const GraphNode& node = active.graph_node();
  // What depends on its own loop variable, 0 here, is bound anew when the region asks.
  if (Result<void> bind = active.Bind(active.region.Env(0)); !bind) {
    AttemptFailed(active, std::move(bind).error());
    return;
  }
  Prepare(node, active);
  active.context.inputs = active.inputs;
  active.region.Start(*node.region);
}

void Run::StartBody(ActiveNode& holder, BodyStart start) {
  Activation& scope = *holder.activation();
  const GraphNode& node = holder.graph_node();
  Activation& activation = activations_.Acquire();
  activation.Begin(*node.bodies[start.body], !spec_.trace);
  activation.outer = &scope;
  activation.holder = &holder;
  activation.holder_epoch = holder.region.epoch;
  activation.number = start.activation;
  activation.loop_values.clear();
  if (start.params != nullptr) {
    // A called plan: it sees nothing of the caller.
    activation.params = start.params;
  } else {
    activation.params = scope.params;
    activation.error = start.error != nullptr ? start.error : scope.error;
    activation.loop_values.assign(scope.loop_values.begin(), scope.loop_values.end());
    if (start.loop_value) activation.loop_values.push_back(*start.loop_value);
  }
  activation.carry = std::move(start.carry);
  activation.previous = nullptr;
  activation.next = holder.region.first_child;
  if (activation.next != nullptr) activation.next->previous = &activation;
  holder.region.first_child = &activation;
  if (spec_.trace) [[unlikely]] {
    recorder_.OnActivate(activation.trace, *activation.graph, holder.span, start.activation);
    recorder_.OnReady(activation.trace, activation.ready.Above(0));
  }
  ++counts_.activations;
  turn_cost_ += kActivationNanoseconds;
  Queue(activation);
  FillImports(activation, std::move(start.in));
}

void Run::FillImports(Activation& activation, RowSet in) {
  const Graph& graph = *activation.graph;
  auto number = static_cast<std::uint32_t>(graph.nodes.size());
  for (const GraphImport& one : graph.imports) {
    const NodeId id{number++};
    switch (one.import.kind) {
      case ImportKind::kIn:
        Import(activation, id, std::move(in));  // stands there once at most
        break;
      case ImportKind::kCarry:
        Import(activation, id, *activation.Around(one.import.levels).carry);
        break;
      case ImportKind::kNode:
        if (!one.lazy) Capture(activation, one.import, id);
        break;
    }
  }
}

void Run::Capture(Activation& activation, const rankd::Import& import, NodeId id) {
  Activation& scope = activation.Around(import.levels);
  if (!scope.results[Index(import.node)].absent()) {
    Import(activation, id, scope.results[Index(import.node)]);
    return;
  }
  if (scope.first_waiter.empty()) {
    scope.first_waiter.assign(scope.graph->nodes.size(), CaptureWaiter::kNone);
  }
  std::uint32_t& first = scope.first_waiter[Index(import.node)];
  scope.waiters.push_back({&activation, activation.generation, id, first});
  first = static_cast<std::uint32_t>(scope.waiters.size() - 1);
  ++activation.imports_awaited;
  Demand(scope, import.node);
}

void Run::Import(Activation& activation, NodeId import, RowSet rows) {
  activation.results[Index(import)] = std::move(rows);
  const std::size_t ready_before = activation.ready.size();
  counts_.edges += activation.scheduler.Finished(import, activation.ready);
  if (spec_.trace) [[unlikely]]
    recorder_.OnReady(activation.trace, activation.ready.Above(ready_before));
}

void Run::Demand(Activation& scope, NodeId node) {
  const Graph& graph = *scope.graph;
  const std::size_t nodes = graph.nodes.size();
  if (!graph.nodes[Index(node)].lazy) return;
  if (scope.demanded.empty()) scope.demanded.resize(graph.topology.node_count());
  const std::size_t ready_before = scope.ready.size();
  // A part of the stack, for captures may make demands of scopes further out.
  const std::size_t bottom = demanded_.size();
  demanded_.push_back(node);
  while (demanded_.size() > bottom) {
    const NodeId wanted = demanded_.back();
    demanded_.pop_back();
    if (!graph.topology.lazy[Index(wanted)] || scope.demanded[Index(wanted)]) continue;
    scope.demanded[Index(wanted)] = true;
    if (Index(wanted) >= nodes) {
      Capture(scope, graph.imports[Index(wanted) - nodes].import, wanted);
      continue;
    }
    scope.scheduler.Demand(wanted, scope.ready);
    const std::vector<NodeId>& inputs = graph.nodes[Index(wanted)].inputs;
    demanded_.insert(demanded_.end(), inputs.begin(), inputs.end());
  }
  if (spec_.trace) [[unlikely]]
    recorder_.OnReady(scope.trace, scope.ready.Above(ready_before));
  Queue(scope);
}

void Run::Deliver(Activation& scope, NodeId node) {
  std::uint32_t waiter = std::exchange(scope.first_waiter[Index(node)], CaptureWaiter::kNone);
  while (waiter != CaptureWaiter::kNone) {
    const CaptureWaiter one = scope.waiters[waiter];
    waiter = one.next;
    if (one.activation->generation != one.generation) continue;  // has ended since
    --one.activation->imports_awaited;
    Import(*one.activation, one.import, scope.results[Index(node)]);
    Queue(*one.activation);
  }
}

void Run::Settle(Activation& activation) {
  if (activation.Done()) {
    if (&activation == &plan_) {
      Succeed();
    } else {
      FinishBody(activation);
    }
  } else if (activation.active == nullptr && activation.imports_awaited == 0) {
    // Never seen with a graph that was checked.
    FailActivation(activation, DeadEnd(activation));
  }
}

Error Run::DeadEnd(const Activation& activation) {
  std::string text = "dead end: nothing is in flight, and these nodes are blocked:";
  std::size_t shown = 0;
  for (const std::uint32_t blocked : activation.scheduler.Blocked()) {
    if (blocked >= activation.graph->nodes.size()) continue;
    if (++shown > kBlockedShown) return Error(ErrorCode::kInternal, text + " …");
    text += " " + activation.graph->nodes[blocked].id;
  }
  return Error(ErrorCode::kInternal, std::move(text));
}

void Run::FinishBody(Activation& activation) {
  ActiveNode& holder = *activation.holder;
  const std::uint64_t number = activation.number;
  Result<RowSet> rows = OutputOf(activation);
  if (!rows) {
    Error error = std::move(rows).error();
    error.node = holder.graph_node().id;
    error.op = holder.graph_node().op;
    FailActivation(activation, std::move(error));
    return;
  }
  EndActivation(activation);
  holder.region.state().OnBodyDone(number, *std::move(rows));
}

void Run::FailActivation(Activation& activation, Error error) {
  if (&activation == &plan_) {
    Fail(std::move(error));
    return;
  }
  ActiveNode& holder = *activation.holder;
  const std::uint64_t number = activation.number;
  EndActivation(activation);
  holder.region.state().OnBodyFailed(number, std::move(error));
}

void Run::RegionDone(ActiveNode& holder, Result<RowSet> result) {
  CancelBodies(holder);
  // Work of its own that is on the pool may take its time to end.
  AttemptDone(holder.computing() ? Supersede(holder) : holder, std::move(result));
}

void Run::Compute(ActiveNode& holder, RegionWork& work, double nanoseconds) {
  if (rankd::RunsInline(Placement::kByCost, nanoseconds, spec_.cpu)) {
    turn_cost_ += nanoseconds;
    holder.region.state().OnComputed(RunRegionWork(work, StopToken()));
  } else {
    holder.StartWork(work, *services_.executor, *services_.loop);
  }
}

void Run::Defer(ActiveNode& holder) { deferred_regions_.push_back({&holder, holder.region.epoch}); }

void Run::TakeUpDeferred() {
  const DeferredRegion next = deferred_regions_.front();
  deferred_regions_.pop_front();
  ActiveNode& holder = *next.holder;
  if (holder.region.epoch != next.epoch || IsOver(*holder.activation())) return;
  holder.region.state().OnDeferred();
}

void Run::OnItemSkipped(ActiveNode& holder) {
  if (spec_.trace) recorder_.OnSkip(holder.span, 1);
}

}  // namespace rankd
