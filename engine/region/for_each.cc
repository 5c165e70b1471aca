#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/region/item_work.h"
#include "engine/region/items.h"
#include "engine/region/region.h"
#include "engine/region/specs.h"

namespace rankd {
namespace {

constexpr std::size_t kStartedAtOnce = 64;

/// Runs its body for each item, several at once; the rows are in the items' order.
class ForEach final : public Region {
 public:
  ForEach(ItemCut cut, std::uint32_t body, std::size_t max_parallel, bool skip_failed)
      : cut_(std::move(cut)), body_(body), max_parallel_(max_parallel), skip_failed_(skip_failed) {}

  std::unique_ptr<RegionState> MakeState(RegionHost& host) const override {
    return std::make_unique<State>(*this, host);
  }

  RegionOutline Outline() const override {
    RegionOutline outline;
    outline.shape = RegionShape::kEach;
    outline.may_skip = true;
    outline.details = {cut_.Describe(), "max_parallel " + std::to_string(max_parallel_)};
    if (skip_failed_) outline.details.emplace_back("skips items that fail");
    outline.body_names.resize(1);
    return outline;
  }

 private:
  class State final : public FailingRegionState {
   public:
    State(const ForEach& region, RegionHost& host) : FailingRegionState(host), region_(region) {}

    void Start() override { work_.Cut(region_.cut_, items_, host_); }

    void OnComputed(Result<void> done) override {
      if (!done) return Fail(std::move(done).error());
      if (ended_ > 0) return host_.Finish(work_.TakeRows());
      if (items_.count() == 0) return host_.Finish(RowSet());
      StartSome();
    }
    void OnDeferred() override {
      deferred_ = false;
      StartSome();
    }

    void OnBodyDone(std::uint64_t activation, RowSet rows) override {
      outputs_.End(activation, std::move(rows), host_);
      OnItemEnded();
    }

    void OnBodyFailed(std::uint64_t activation, Error error) override {
      if (!region_.skip_failed_) return Fail(std::move(error));
      outputs_.LeaveOut(activation, host_);
      host_.CountSkipped();
      OnItemEnded();
    }

    bool IsLarge() const override { return IsLargeRegion(outputs_, items_); }
    void LetGo() override {
      items_.LetGo();
      work_.LetGo();
    }

   private:
    /// Starts what may run, a part at a time, so that a request with a hundred thousand items lets
    /// timers fire in between.
    void StartSome() {
      for (std::size_t i = 0; i < kStartedAtOnce && MayStart(); ++i) StartNext();
      if (!MayStart()) return;
      deferred_ = true;
      host_.Defer();
    }

    bool MayStart() const {
      return next_ < items_.count() && next_ - ended_ < region_.max_parallel_;
    }

    void StartNext() {
      outputs_.Begin();
      BodyStart start(region_.body_, items_.At(next_));
      start.activation = next_;
      start.loop_value = static_cast<std::int64_t>(next_);
      ++next_;
      host_.StartBody(std::move(start));
    }

    void OnItemEnded() {
      ++ended_;
      if (ended_ == items_.count()) {
        work_.Join(outputs_, host_);
      } else if (!deferred_ && MayStart()) {
        StartNext();
      }
    }

    const ForEach& region_;
    Items items_;
    ItemOutputs outputs_;
    std::size_t next_ = 0;  ///< The first item that has not been started.
    std::size_t ended_ = 0;
    bool deferred_ = false;
    ItemWork work_;
  };

  ItemCut cut_;
  std::uint32_t body_;
  std::size_t max_parallel_;
  bool skip_failed_;
};

std::unique_ptr<const Task> MakeForEach(TaskBuilder& builder) {
  std::optional<ItemCut> cut = ItemCut::Read(builder, true);
  const std::optional<BodyRef> body = RequiredBody(builder, "for_each");
  const std::optional<std::int64_t> max_parallel =
      builder.Count("max_parallel", 1, std::numeric_limits<std::uint32_t>::max(), 64);
  const std::optional<std::size_t> on_item_error =
      builder.Choice("on_item_error", {"fail", "skip"}, 0);
  if (!cut || !body || !max_parallel || !on_item_error) return nullptr;
  return std::make_unique<ForEach>(*std::move(cut), body->body,
                                   static_cast<std::size_t>(*max_parallel), *on_item_error == 1);
}

constexpr ParamDoc kForEachParams[] = {
    {"over", "\"rows\", \"chunks\" or \"groups\"", true, "", "what an item is"},
    {"chunk_size", "int or {expr}", false, "", "rows of a chunk; the last may have fewer"},
    {"by", "key", false, "", "the rows with one value of it are a group; nulls are one"},
    {"as", "name", false, "\"i\"", "the loop variable: L.i is the item's number, from 0"},
    {"body", "body", true, "", "runs for each item, which is its $in"},
    {"max_parallel", "int", false, "64", "items at once, at most"},
    {"on_item_error", "\"fail\" or \"skip\"", false, "\"fail\"",
     "an item that fails ends the node, or is left out"},
};

}  // namespace

constinit const TaskSpec kForEachTask = {
    .op = "for_each",
    .doc = "Runs a body for each row, chunk or group, several at once; rows in item order.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "control flow",
    .params = kForEachParams,
    .make = MakeForEach};

}  // namespace rankd
