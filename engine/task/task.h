// What a task provides. A Task is one node's op with its parameters compiled: made once per graph,
// immutable, shared by all runs on all loops. It is an AsyncTask (a coroutine on the loop thread)
// or a CpuTask (a pure function); where a CpuTask runs is the engine's choice.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/coro/co.h"
#include "engine/data/rowset.h"
#include "engine/data/schema.h"
#include "engine/expr/expression.h"
#include "engine/io/loop.h"
#include "engine/kv/kv.h"
#include "engine/task/input_rows.h"
#include "engine/task/key_set.h"

namespace rankd {

/// Number of an expression of a node; the engine binds them all when the node starts.
enum class ExpressionSlot : std::uint32_t {};

/// What every node start has. Owned by the run, const to the task.
struct NodeContext {
  InputRows inputs;  ///< In the order of `inputs`, then `rhs`.
  const Schema* schema = nullptr;
  std::span<const BoundExpression> expressions;  ///< By ExpressionSlot.
  StopToken stop;                                ///< CPU work looks at it between blocks.

  const BoundExpression& expression(ExpressionSlot slot) const { return expressions[Index(slot)]; }
};

/// What a coroutine has besides.
struct AsyncContext : NodeContext {
  std::int64_t user_id = 0;  ///< Present when the task asked for it (TaskBuilder::NeedUserId).
  Loop* loop = nullptr;
  StopSource* stop_source = nullptr;   ///< Stopped when the node is cancelled or out of time.
  std::span<KvClient* const> clients;  ///< By EndpointId.
  KvObserver* kv_observer = nullptr;   ///< Told of the node's pipelines, if anyone wants to know.

  /// One pipeline to `endpoint`, which ends when the node is stopped. Name it, then await it;
  /// `commands` must live until then.
  KvCall Call(EndpointId endpoint, const CommandBatch& commands) const {
    return KvCall(*clients[Index(endpoint)], commands, *stop_source, kv_observer);
  }
};

class Task {
 public:
  virtual ~Task() = default;

  /// The keys of the rows this makes, given those of its inputs. Must agree with what Run does.
  virtual KeySet OutputKeys(std::span<const KeySet> inputs) const = 0;

  /// Looks at the keys of the inputs at validation; a Failure is a problem of the plan, at
  /// `pointer` below the node's /params.
  virtual Result<void> CheckInputs(std::span<const KeySet> inputs, const Schema& schema) const;
};

/// Errors: the code that fits; message without node and op, which the run adds.
class AsyncTask : public Task {
 public:
  /// Runs on the loop thread; `context` lives until it has ended. Ends soon after
  /// `context.stop_source` is stopped (its result is dropped then).
  virtual Co<Result<RowSet>> Run(const AsyncContext& context) const = 0;

  /// How many pipelines a run sends one after the other, at most, unless its rows are too many for
  /// one: the static cost of a node that waits for a store.
  virtual std::size_t RoundTrips() const { return 0; }
};

/// Where a CpuTask may run.
enum class Placement : std::uint8_t {
  kByCost,  ///< Inline or on the pool, by estimated cost or --cpu.
  kInline,  ///< Always on the loop thread: costs nothing to speak of.
  kPool,    ///< Always on the pool.
};

/// What CPU work costs by estimate, in nanoseconds.
struct CpuCost {
  double fixed_ns = 0;
  double ns_per_row = 0;  ///< Rows of all inputs together.

  double Of(std::size_t rows) const { return fixed_ns + ns_per_row * static_cast<double>(rows); }
};

class CpuTask : public Task {
 public:
  /// Pure; any thread. With a stop requested, returns soon with any result (it is dropped).
  virtual Result<RowSet> Run(const NodeContext& context) const = 0;

  virtual Placement placement() const { return Placement::kByCost; }
  /// Of one run; the same whenever it is asked.
  virtual CpuCost cost() const = 0;

  /// How many of the first rows of its only input decide what it gives; nullopt: all may.
  virtual std::optional<std::size_t> LeadingRows() const { return std::nullopt; }
  /// This task, for one that looks at the first `rows` rows only: those are what they would be, the
  /// others stand behind them in any order. Nullptr where that is no gain.
  virtual std::unique_ptr<const CpuTask> ForLeadingRows(std::size_t /*rows*/) const {
    return nullptr;
  }
};

/// A whole-number parameter: a literal, or a scalar expression over the first input.
class NumberParam {
 public:
  NumberParam() = default;
  explicit NumberParam(std::int64_t literal) : literal_(literal) {}
  NumberParam(ExpressionSlot slot, std::string_view name, std::int64_t low, std::int64_t high)
      : slot_(slot), name_(name), low_(low), high_(high) {}

  /// The value, within the range it was declared with; invalid_param for null or out of range.
  /// Without inputs the expression sees no rows.
  [[nodiscard]] Result<std::int64_t> Evaluate(const NodeContext& context) const;
  /// The value when it is a literal.
  std::optional<std::int64_t> literal() const { return literal_; }

 private:
  std::optional<std::int64_t> literal_;
  ExpressionSlot slot_{};
  std::string name_;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
};

}  // namespace rankd
