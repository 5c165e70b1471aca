// One task of a plan, made by the graph layer and run by hand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/stop.h"
#include "engine/graph/graph.h"
#include "engine/kv/kv.h"
#include "engine/kv/observer.h"
#include "engine/task/task.h"
#include "tests/support/fake_loop.h"
#include "tests/tasks/rows.h"

namespace rankd {

/// What validation says of `{"op":op,"params":params}` with so many inputs, which carry `id` only:
/// "/nodes/0/params/key: message" for each problem. The node is the first.
std::vector<std::string> ProblemsOf(std::string_view op, std::string_view params,
                                    std::size_t inputs = 1);
/// The same for a whole plan's `nodes` and `outputs`, over TestSchema.
std::vector<std::string> ProblemsOfNodes(std::string_view nodes, std::string_view outputs);

class OneTask {
 public:
  /// The params must be right. The endpoint is called "kv".
  OneTask(std::string_view op, std::string_view params, std::size_t inputs = 1);

  const Task& task() const { return *node().task; }
  const CpuTask& cpu() const { return *node().cpu_task; }
  const AsyncTask& async() const { return *node().async_task; }
  bool is_async() const { return node().async_task != nullptr; }
  bool needs_user_id() const { return graph_->needs_user_id; }

  void SetParam(std::string_view name, Value value);

  /// Runs a CpuTask. Checks that OutputKeys told the keys of the result.
  Result<RowSet> Run(std::vector<RowSet> inputs, StopToken stop = StopToken());
  /// The same as text, or "code: message".
  std::string Text(std::vector<RowSet> inputs);

 private:
  friend class AsyncRun;
  const GraphNode& node() const;
  /// The error where binding fails.
  Result<void> Bind(std::vector<BoundExpression>& bound) const;

  std::shared_ptr<const Graph> graph_;
  ParamValues params_;
};

/// One run of an AsyncTask; the loop is turned by the test.
class AsyncRun final : public CoCompletion, private KvObserver {
 public:
  AsyncRun(OneTask& task, std::vector<RowSet> inputs, KvClient& client, FakeLoop& loop,
           std::int64_t user_id = 0);
  ~AsyncRun();

  bool done() const { return done_; }
  void Stop() { stop_.Stop(); }
  /// Once done. Checks that OutputKeys told the keys of the result, and that RoundTrips is enough.
  Result<RowSet> Take();
  std::string Text();

  void OnCoDone() override { done_ = true; }
  /// Pipelines sent so far.
  std::size_t round_trips() const { return round_trips_; }

 private:
  std::size_t OnSubmit(const KvClient&, const CommandBatch&) override { return round_trips_++; }
  void OnReplies(std::size_t, const Result<Replies>&) override {}

  OneTask* task_;
  std::vector<RowSet> inputs_;
  std::vector<BoundExpression> bound_;
  StopSource stop_;
  KvClient* client_;
  AsyncContext context_;
  std::optional<Co<Result<RowSet>>> co_;
  bool done_ = false;
  std::size_t round_trips_ = 0;
};

/// A result as text: its rows, or "code: message".
std::string Show(const Result<RowSet>& result);

}  // namespace rankd
