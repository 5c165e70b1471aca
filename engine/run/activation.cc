#include "engine/run/activation.h"

#include "engine/base/check.h"

namespace rankd {

void Activation::Begin(const Graph& body, bool may_schedule) {
  graph = &body;
  const std::size_t values = body.layout.consumers.size();
  if (results.size() < values) results.resize(values, RowSet::Absent());
  position = 0;
  scheduled = may_schedule && !body.layout.schedule.empty();
  if (scheduled) return;
  consumers_left = body.layout.consumers;
  scheduler.Start(body.topology, ready);
}

void Activation::LeaveSchedule() {
  RANKD_CHECK(scheduled);
  scheduled = false;
  consumers_left = graph->layout.consumers;
  scheduler.Start(graph->topology, ready);
  for (std::size_t i = 0; i < position; ++i) {
    const NodeId node = ready.Pop();  // the schedule's: it was found in the same way
    for (const NodeId input : graph->nodes[Index(node)].inputs) --consumers_left[Index(input)];
    scheduler.Finished(node, ready);
  }
}

void Activation::Clear() {
  ready.Clear();
  // What has no consumers left has been taken.
  if (graph->layout.ends_with_outputs && Done()) {
    for (const NodeId output : graph->outputs) results[Index(output)].Drop();
  } else if (scheduled) {
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) results[i].Drop();
  } else {
    for (std::size_t i = 0; i < consumers_left.size(); ++i) {
      if (consumers_left[i] > 0) results[i].Drop();
    }
  }
  carry.reset();
  imports_awaited = 0;
  params = nullptr;
  error = nullptr;
  waiters.clear();
  first_waiter.clear();
  demanded.clear();
  holder = nullptr;
  outer = nullptr;
  ++generation;
}

Activation& Activations::Acquire() {
  if (spare_.empty()) {
    all_.push_back(std::make_unique<Activation>());
    spare_.push_back(all_.back().get());
  }
  Activation& activation = *spare_.back();
  spare_.pop_back();
  return activation;
}

}  // namespace rankd
