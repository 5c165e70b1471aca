#include "engine/run/activation.h"

namespace rankd {

void Activation::Begin(const Graph& body) {
  graph = &body;
  const std::size_t nodes = body.nodes.size();
  const std::size_t values = nodes + body.imports.size();
  results.resize(values);
  consumers_left.resize(values);
  for (std::size_t i = 0; i < nodes; ++i) consumers_left[i] = body.nodes[i].consumers;
  for (std::size_t i = nodes; i < values; ++i) {
    consumers_left[i] = body.imports[i - nodes].consumers;
  }
  scheduler.Start(body.topology, ready);
}

void Activation::Clear() {
  ready.clear();
  results.clear();
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
