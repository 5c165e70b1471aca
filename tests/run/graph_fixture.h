// Graphs made by hand for tests of the run layer, with tasks that do as they are told.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/run/run.h"
#include "tests/support/topologies.h"

namespace rankd {

/// One row whose id is one more than the sum of the inputs' ids: tells which inputs it saw.
inline Result<RowSet> SumPlusOne(const InputRows& inputs) {
  std::int64_t sum = 1;
  for (const RowSet& input : inputs) {
    for (std::size_t i = 0; i < input.rows(); ++i) sum = (sum + input.IdAt(i)) % 1'000'003;
  }
  return RowSet(Column::Make(Column::Ints{sum}));
}

class FakeCpuTask final : public CpuTask {
 public:
  using Body = std::function<Result<RowSet>(const NodeContext&)>;
  explicit FakeCpuTask(Body body, Placement place = Placement::kByCost, double cost = 0)
      : body_(std::move(body)), place_(place), cost_(cost) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Result<RowSet> Run(const NodeContext& context) const override { return body_(context); }
  Placement placement() const override { return place_; }
  CpuCost cost() const override { return {.fixed_ns = cost_}; }

 private:
  Body body_;
  Placement place_;
  double cost_;
};

/// Waits on a timer; co_awaits to whether it fired (true) or was stopped.
class DelayAwaiter final : public Timer, public StopCallback {
 public:
  DelayAwaiter(Loop& loop, StopSource& stop, Duration delay)
      : loop_(loop), stop_(stop), delay_(delay) {}
  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    if (!stop_.Attach(*this)) return false;
    waiter_ = waiter;
    loop_.Arm(*this, loop_.Now() + delay_);
    return true;
  }
  bool await_resume() const { return fired_; }
  void OnTimer() override {
    fired_ = true;
    Detach();
    waiter_.resume();
  }
  void OnStop() override {
    Disarm();
    waiter_.resume();
  }

 private:
  Loop& loop_;
  StopSource& stop_;
  Duration delay_;
  std::coroutine_handle<> waiter_;
  bool fired_ = false;
};

/// Sums its inputs after `delay` (zero: at once), or fails.
class FakeAsyncTask final : public AsyncTask {
 public:
  FakeAsyncTask(Duration delay, std::optional<ErrorCode> failure)
      : delay_(delay), failure_(failure) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    if (delay_ > Duration::zero()) {
      DelayAwaiter delay(*context.loop, *context.stop_source, delay_);
      const bool fired = co_await delay;
      if (!fired) co_return Fail(ErrorCode::kCancelled, "stopped");
    }
    if (failure_) co_return Fail(*failure_, "told to fail");
    co_return SumPlusOne(context.inputs);
  }

 private:
  Duration delay_;
  std::optional<ErrorCode> failure_;
};

using Tasks = std::vector<std::unique_ptr<const Task>>;

template <typename... T>
Tasks List(T... tasks) {
  Tasks list;
  (list.push_back(std::move(tasks)), ...);
  return list;
}

/// A Graph over `inputs` with one task a node; every node that feeds no other is an output.
inline std::shared_ptr<Graph> MakeGraph(const InputLists& inputs,
                                        std::vector<std::unique_ptr<const Task>> tasks) {
  auto graph = std::make_shared<Graph>();
  graph->name = "test";
  graph->schema = std::make_shared<const Schema>();
  graph->topology = MakeTopology(inputs);
  graph->nodes.resize(inputs.size());
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    GraphNode& node = graph->nodes[i];
    node.id = "n" + std::to_string(i);
    node.op = "fake";
    node.task = std::move(tasks[i]);
    node.async_task = dynamic_cast<const AsyncTask*>(node.task.get());
    node.cpu_task = dynamic_cast<const CpuTask*>(node.task.get());
    for (const std::uint32_t input : inputs[i]) {
      node.inputs.push_back(NodeId{input});
      ++graph->nodes[input].consumers;
    }
  }
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    if (graph->nodes[i].consumers > 0) continue;
    graph->nodes[i].consumers = 1;
    graph->outputs.push_back(NodeId{i});
  }
  graph->layout = MakeRunLayout(*graph);
  return graph;
}

/// Records what a run answers.
class RecordingListener final : public RunListener {
 public:
  void OnAnswer(Run&, Result<std::span<const RowSet>> outputs) override {
    ++answers;
    ids.clear();
    error.reset();
    if (!outputs) {
      error = outputs.error();
      return;
    }
    for (const RowSet& rows : *outputs) ids.push_back(rows.IdAt(0));
  }
  void OnIdle(Run&) override { ++idles; }

  int answers = 0;
  int idles = 0;
  std::vector<std::int64_t> ids;
  std::optional<Error> error;
};

}  // namespace rankd
