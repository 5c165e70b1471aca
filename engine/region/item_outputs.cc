#include "engine/region/item_outputs.h"

#include <iterator>
#include <utility>

namespace rankd {
namespace {

constexpr std::size_t kOutputsJoinedAtOnce = 256;
/// More rows than this take a while to copy, and are few pieces anyway.
constexpr std::size_t kMostRowsJoined = 4096;

}  // namespace

void ItemOutputs::End(std::size_t item, RowSet rows, RegionHost& host) {
  Output& output = open_[item - first_open_];
  if (!rows.absent()) rows_ += rows.rows();
  // Another thread may be to join, or to destroy them.
  if (!rows.absent()) output.rows = std::move(rows).MovedOut();
  output.ended = true;
  for (; !open_.empty() && open_.front().ended; open_.pop_front(), ++first_open_) {
    RowSet& next = open_.front().rows;
    if (next.absent()) continue;
    ended_rows_ += next.rows();
    ended_.push_back(std::move(next));
    if (ended_.size() == kOutputsJoinedAtOnce) JoinEnded(host);
  }
}

void ItemOutputs::JoinEnded(RegionHost& host) {
  Result<RowSet> joined = RowSet::Absent();
  if (ended_rows_ <= kMostRowsJoined) joined = Concat(*host.context().schema, ended_);
  // What cannot be joined is told when all are: an item that fails comes first.
  if (joined && !joined->absent()) {
    joined_.push_back(*std::move(joined));
  } else {
    joined_.insert(joined_.end(), std::move_iterator(ended_.begin()),
                   std::move_iterator(ended_.end()));
  }
  ended_.clear();
  ended_rows_ = 0;
}

std::vector<RowSet> ItemOutputs::Take() {
  joined_.insert(joined_.end(), std::move_iterator(ended_.begin()),
                 std::move_iterator(ended_.end()));
  ended_.clear();
  return std::move(joined_);
}

}  // namespace rankd
