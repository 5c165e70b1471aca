#include "tasks/list_ids.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "engine/base/number_text.h"
#include "engine/data/rowset.h"
#include "tasks/quote.h"
#include "tasks/replies.h"

namespace rankd {

Result<void> IdLists::Begin(const CommandBatch& commands, const Replies& replies) {
  commands_ = &commands;
  replies_ = &replies;
  list_ = 0;
  entry_ = 0;
  next_ = nullptr;
  RANKD_TRY(CheckCount(commands, replies));
  std::size_t total = ids_.size();
  for (std::size_t i = 0; i < replies.size(); ++i) {
    RANKD_TRY(CheckArray(commands, i, replies[i]));
    total += replies[i].size;
  }
  if (total > kMaxRows) {
    return Fail(ErrorCode::kLimitExceeded, "the lists have " + std::to_string(total) +
                                               " entries, more than " + std::to_string(kMaxRows));
  }
  if (total > ids_.capacity()) ids_.reserve(std::max(total, 2 * ids_.capacity()));
  return {};
}

Result<void> IdLists::ReadSome(std::size_t most) {
  for (; list_ < replies_->size(); ++list_, entry_ = 0, next_ = nullptr) {
    const ReplyNode& list = (*replies_)[list_];
    if (next_ == nullptr) next_ = list.elements();
    const std::uint32_t end =
        entry_ + static_cast<std::uint32_t>(std::min<std::size_t>(most, list.size - entry_));
    most -= end - entry_;
    // Not by the members: to the compiler each id written could be one of them.
    const ReplyNode* next = next_;
    for (std::uint32_t entry = entry_; entry < end; ++entry, ++next) {
      std::optional<std::int64_t> id;
      if (next->kind == ReplyKind::kString) id = ParseInt(next->text());
      if (!id) {
        next_ = next;
        entry_ = entry;
        return Refusal();
      }
      ids_.push_back(*id);
    }
    next_ = next;
    entry_ = end;
    if (entry_ < list.size) return {};
  }
  return {};
}

std::unexpected<Error> IdLists::Refusal() const {
  const std::string what = next_->kind == ReplyKind::kString
                               ? "the entry " + Quote(next_->text()) + " is no 64-bit integer"
                               : "entry " + std::to_string(entry_) + " is no string";
  return BadReply(commands_->key(list_), *next_, what);
}

}  // namespace rankd
