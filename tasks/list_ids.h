// Ids out of Redis lists.
#pragma once

#include "engine/base/result.h"
#include "engine/data/column.h"
#include "engine/kv/command.h"
#include "engine/kv/reply.h"

namespace rankd {

/// The entries of all the lists that LRANGE gave, one after the other. bad_data, naming the Redis
/// key and the entry, for one that is no 64-bit integer; limit_exceeded beyond kMaxRows.
[[nodiscard]] Result<ColumnRef> ReadIdLists(const CommandBatch& commands, const Replies& replies);

}  // namespace rankd
