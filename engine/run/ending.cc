// The part of Run that ends activations before their time. What ends is marked at once, and nothing
// of it is served from then on; what it has in flight is stopped a few nodes at a time, so that an
// answer, and the timers of other requests, do not wait for a hundred thousand coroutines to end.
#include <memory>
#include <utility>

#include "engine/run/run.h"

namespace rankd {
namespace {

/// Destroys a region's state on the pool. Owns itself.
class Disposal final : public PoolJob {
 public:
  explicit Disposal(std::unique_ptr<RegionState> state) : state_(std::move(state)) {}
  void Execute(std::uint32_t /*thread*/) override { delete this; }

 private:
  std::unique_ptr<RegionState> state_;
};

/// Nodes to stop, and activations to clear, before the loop has its turn: some 0.2 ms.
constexpr std::size_t kReapedAtOnce = 256;

}  // namespace

bool Run::IsOver(const Activation& activation) {
  const Activation* at = &activation;
  for (; at->holder != nullptr; at = at->holder->activation()) {
    if (at->holder_epoch != at->holder->region.epoch) return true;
  }
  return false;
}

void Run::EndActivation(Activation& activation) {
  if (activation.previous != nullptr) {
    activation.previous->next = activation.next;
  } else {
    activation.holder->region.first_child = activation.next;
  }
  if (activation.next != nullptr) activation.next->previous = activation.previous;
  activation.ready.Clear();
  if (activation.active == nullptr) {
    Retire(activation);
    return;
  }
  activation.holder_epoch = RegionNode::kNoEpoch;
  activation.next = nullptr;
  remains_.push_back(&activation);
  Reap();
}

void Run::CancelBodies(ActiveNode& holder) {
  if (holder.region.first_child == nullptr) return;
  ++holder.region.epoch;
  remains_.push_back(std::exchange(holder.region.first_child, nullptr));
  Reap();
}

void Run::Reap() {
  if (reaping_) return;  // a caller further up the stack goes on
  reaping_ = true;
  const auto left_over = [this] {
    return !remains_.empty() || (state_ == State::kStopping && plan_.active != nullptr);
  };
  for (std::size_t i = 0; i < kReapedAtOnce && left_over(); ++i) {
    Activation& activation = remains_.empty() ? plan_ : *remains_.back();
    if (activation.active != nullptr) {
      StopNode(*activation.active);
      continue;
    }
    if (activation.next != nullptr) {
      remains_.back() = activation.next;
    } else {
      remains_.pop_back();
    }
    activation.ready.Clear();
    Retire(activation);
  }
  reaping_ = false;
  if (left_over()) ReapLater();
}

void Run::BeginReaping() {
  // Other requests may have the same deadline: their answers come before what is left of this one.
  if (plan_.graph->nodes.size() > kReapedAtOnce) {
    ReapLater();
  } else {
    Reap();
  }
}

void Run::ReapLater() {
  if (std::exchange(reaper_posted_, true)) return;
  services_.loop->Post(reaper_);
}

void Run::OnReap() {
  Busy busy(*this);
  reaper_posted_ = false;
  Reap();
}

void Run::StopNode(ActiveNode& active) {
  if (spec_.trace) [[unlikely]]
    recorder_.OnStop(active.span);
  const bool is_region = active.region.active();
  if (is_region) CancelBodies(active);
  if (active.pausing() || (is_region && !active.computing())) {
    active_.Release(active);
  } else {
    active_.Abandon(active);
    active.Stop();  // its end may come from within
  }
}

void Run::Dispose(std::unique_ptr<RegionState> state) {
  state->LetGo();
  services_.executor->Submit(*std::make_unique<Disposal>(std::move(state)).release());
}

void Run::Retire(Activation& activation) {
  if (spec_.trace) [[unlikely]]
    recorder_.OnActivationEnd(activation.trace);
  activation.Clear();
  if (activation.queued) {
    activation.ended = true;
  } else {
    activations_.Recycle(activation);
  }
}

ActiveNode& Run::Supersede(ActiveNode& active) {
  ActiveNode& next = active_.Acquire(*active.activation(), active.node());
  next.inputs = active.inputs;
  next.attempt = active.attempt;
  next.span = active.span;
  active_.Abandon(active);
  active.Stop();
  return next;
}

}  // namespace rankd
