// Ids out of Redis lists.
#pragma once

#include <cstddef>

#include "engine/base/result.h"
#include "engine/data/column.h"
#include "engine/kv/command.h"
#include "engine/kv/reply.h"

namespace rankd {

/// Reads the entries of all the lists that LRANGE gave, one after the other, some at a time.
class IdLists {
 public:
  /// The lists of one pipeline are to be read now, behind those of the pipelines before. Both must
  /// live until they have been. redis_error and bad_data, naming the Redis key, for what is no
  /// list; limit_exceeded for more than kMaxRows entries.
  [[nodiscard]] Result<void> Begin(const CommandBatch& commands, const Replies& replies);
  /// The next `most` entries, or those that are left; then done() tells whether that was all.
  /// bad_data, naming the Redis key and the entry, for one that is no 64-bit integer.
  [[nodiscard]] Result<void> ReadSome(std::size_t most);
  bool done() const { return list_ == replies_->size(); }
  ColumnRef Finish() && { return Column::Make(std::move(ids_)); }

 private:
  /// Of the entry that is next.
  std::unexpected<Error> Refusal() const;

  const CommandBatch* commands_ = nullptr;
  const Replies* replies_ = nullptr;
  Column::Ints ids_;
  std::size_t list_ = 0;             ///< The one that is being read.
  std::uint32_t entry_ = 0;          ///< Of it.
  const ReplyNode* next_ = nullptr;  ///< The entry; nullptr before the first.
};

}  // namespace rankd
