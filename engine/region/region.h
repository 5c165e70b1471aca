// Region: the op of a node with bodies. It decides which body runs next and what the node's rows
// are; starting bodies, cancelling and timing them is its host's work. A pure state machine: no
// loop, no clock, no IO.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/result.h"
#include "engine/data/rowset.h"
#include "engine/data/schema.h"
#include "engine/region/outline.h"
#include "engine/task/task.h"

namespace rankd {

/// One run of a body, as its region wants it.
struct BodyStart {
  BodyStart(std::uint32_t which, RowSet rows) : body(which), in(std::move(rows)) {}

  std::uint32_t body;            ///< Number of the body.
  std::uint64_t activation = 0;  ///< The region's own number for it: an item, an iteration.
  RowSet in;                     ///< `$in`
  std::optional<RowSet> carry;   ///< `$carry`, of a body that may name it.
  std::optional<std::int64_t> loop_value;  ///< Of a body with a loop variable.
  const Error* error = nullptr;            ///< Of a catch: E. Lives in the region's state.
  /// Of a called plan, which sees nothing else of the caller. Lives in the region's state.
  const ParamValues* params = nullptr;
};

/// CPU work of a region's own, such as cutting many rows into items.
class RegionWork {
 public:
  virtual ~RegionWork() = default;
  /// Any thread. With a stop requested, returns soon; nobody looks at what came of it.
  virtual Result<void> Run(StopToken stop) = 0;
};

/// Who runs a region: one for each start of its node. Loop thread.
class RegionHost {
 public:
  /// The node's inputs and its expressions, bound as the scope it stands in sees them, its own loop
  /// variable being 0.
  virtual const NodeContext& context() const = 0;
  /// A condition over `rows`; null is false. `loop_value`: the region's own loop variable.
  [[nodiscard]] virtual Result<bool> Holds(ExpressionSlot condition, const RowSet& rows,
                                           std::int64_t loop_value) = 0;
  /// The body runs some time after this call; its end is told once, unless it is cancelled.
  virtual void StartBody(BodyStart start) = 0;
  /// Every body that runs ends now, and is not heard of again.
  virtual void CancelBodies() = 0;
  /// Runs `work`, which is estimated to take so many nanoseconds, here or on the pool; then calls
  /// RegionState::OnComputed, perhaps from within. Only while no body runs. `work` belongs to the
  /// state, which leaves what it touches alone meanwhile.
  virtual void Compute(RegionWork& work, double nanoseconds) = 0;
  /// Calls RegionState::OnDeferred once what is ready has been started.
  virtual void Defer() = 0;
  /// For the trace: an item that failed and is left out.
  virtual void CountSkipped() = 0;
  /// The node's outcome; bodies that still run are cancelled. The region's state may be gone when
  /// it returns.
  virtual void Finish(Result<RowSet> result) = 0;

 protected:
  ~RegionHost() = default;
};

/// One start of a region's node. The region that made it outlives it, and so does the host.
class RegionState {
 public:
  virtual ~RegionState() = default;

  virtual void Start() = 0;
  virtual void OnBodyDone(std::uint64_t activation, RowSet rows) = 0;
  /// The body's activation has ended; `error` names the node to blame.
  virtual void OnBodyFailed(std::uint64_t activation, Error error) = 0;
  /// The node's own time limit has passed.
  virtual void OnTimeout(Error error) = 0;
  /// What RegionHost::Compute was asked for is done. States that never ask never see it.
  virtual void OnComputed(Result<void> /*done*/) {}
  virtual void OnDeferred() {}
  /// Destroying it may take a while: another thread is to do so, once it has let go.
  virtual bool IsLarge() const { return false; }
  /// Of rows that others of its own thread may have copies of.
  virtual void LetGo() {}
};

class Region : public Task {
 public:
  /// Keys are those the bodies' rows have when they run.
  KeySet OutputKeys(std::span<const KeySet>) const final { return {}; }

  virtual std::unique_ptr<RegionState> MakeState(RegionHost& host) const = 0;

  /// What there is to tell of it.
  virtual RegionOutline Outline() const = 0;
};

/// The state of a region whose failures and timeouts are the node's own.
class FailingRegionState : public RegionState {
 public:
  explicit FailingRegionState(RegionHost& host) : host_(host) {}
  void OnBodyFailed(std::uint64_t, Error error) override { Fail(std::move(error)); }
  void OnTimeout(Error error) override { Fail(std::move(error)); }

 protected:
  void Fail(Error error) { host_.Finish(std::unexpected(std::move(error))); }
  /// The first input, or no rows.
  RowSet Input() const {
    const InputRows& inputs = host_.context().inputs;
    return inputs.empty() ? RowSet() : inputs.front();
  }

  RegionHost& host_;
};

}  // namespace rankd
