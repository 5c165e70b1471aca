#include "engine/region/item_work.h"

#include <utility>

namespace rankd {
namespace {

/// A part, and a row, when they are joined.
constexpr double kPartNanoseconds = 200;
constexpr double kRowNanoseconds = 5;

constexpr std::size_t kManyOutputs = 1'000;

}  // namespace

bool IsLargeRegion(const ItemOutputs& outputs, const Items& items) {
  return outputs.pieces() + items.count() > kManyOutputs;
}

void ItemWork::Cut(const ItemCut& cut, Items& items, RegionHost& host) {
  cut_ = &cut;
  items_ = &items;
  context_ = host.context();
  // The first one is all that is looked at. It may be another thread that does.
  inputs_.assign(1, context_.inputs.front().Detached());
  context_.inputs = inputs_;
  host.Compute(*this, cut.CostOf(context_.inputs.front().rows()));
}

void ItemWork::Join(ItemOutputs& outputs, RegionHost& host) {
  cut_ = nullptr;
  context_ = host.context();
  const std::size_t rows = outputs.rows();
  outputs_ = outputs.Take();
  host.Compute(*this, kPartNanoseconds * static_cast<double>(outputs_.size()) +
                          kRowNanoseconds * static_cast<double>(rows));
}

Result<void> ItemWork::Run(StopToken stop) {
  if (cut_ != nullptr) {
    context_.stop = stop;
    RANKD_TRY(*items_, Items::Make(*cut_, context_));
    return {};
  }
  const std::vector<RowSet> parts = std::move(outputs_);
  if (parts.empty()) {
    rows_ = RowSet();
    return {};
  }
  RANKD_TRY(rows_, Concat(*context_.schema, parts));
  return {};
}

}  // namespace rankd
