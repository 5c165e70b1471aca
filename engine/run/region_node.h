// RegionNode: the host of a region's state while its node is under way.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/region/region.h"
#include "engine/run/activation.h"

namespace rankd {

class ActiveNode;
class Run;

/// Part of an ActiveNode; passes what its region wants on to the run.
class RegionNode final : private RegionHost {
 public:
  RegionNode(Run& run, ActiveNode& node) : run_(run), node_(node) {}
  RegionNode(const RegionNode&) = delete;
  RegionNode& operator=(const RegionNode&) = delete;

  bool active() const { return state_ != nullptr; }
  /// The node may have ended when it returns.
  void Start(const Region& region);
  RegionState& state() { return *state_; }
  /// What the region's own expressions see. Valid until the next call.
  EvalEnv Env(std::int64_t loop_value);
  /// Drops the state; no body may run any more.
  void End();

  Activation* first_child = nullptr;  ///< Of its bodies' activations.
  /// Changes whenever all that it has begun is ended at once.
  std::uint64_t epoch = 0;
  static constexpr std::uint64_t kNoEpoch = ~std::uint64_t{0};

 private:
  const NodeContext& context() const override;
  Result<bool> Holds(ExpressionSlot condition, const RowSet& rows,
                     std::int64_t loop_value) override;
  void StartBody(BodyStart start) override;
  void CancelBodies() override;
  void CountSkipped() override;
  void Compute(RegionWork& work, double nanoseconds) override;
  void Defer() override;
  void Finish(Result<RowSet> result) override;

  Run& run_;
  ActiveNode& node_;
  std::unique_ptr<RegionState> state_;
  std::vector<std::int64_t> loop_values_;  ///< Of Env; kept for its memory.
};

}  // namespace rankd
