#include "tasks/list_ids.h"

#include <cstddef>
#include <optional>
#include <string>

#include "engine/base/number_text.h"
#include "engine/data/rowset.h"
#include "tasks/quote.h"
#include "tasks/replies.h"

namespace rankd {
namespace {

Result<void> AppendIds(std::string_view redis_key, const ReplyNode& list, Column::Ints& ids) {
  const ReplyNode* entry = &list + 1;
  for (std::uint32_t i = 0; i < list.size; ++i, entry += entry->span) {
    std::optional<std::int64_t> id;
    if (entry->kind == ReplyKind::kString) id = ParseInt(entry->text());
    if (!id) {
      const std::string what = entry->kind == ReplyKind::kString
                                   ? "the entry " + Quote(entry->text()) + " is no 64-bit integer"
                                   : "entry " + std::to_string(i) + " is no string";
      return BadReply(redis_key, *entry, what);
    }
    ids.push_back(*id);
  }
  return {};
}

}  // namespace

Result<ColumnRef> ReadIdLists(const CommandBatch& commands, const Replies& replies) {
  RANKD_TRY(CheckCount(commands, replies));
  std::size_t total = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    RANKD_TRY(CheckArray(commands, i, replies[i]));
    total += replies[i].size;
  }
  if (total > kMaxRows) {
    return Fail(ErrorCode::kLimitExceeded, "the lists have " + std::to_string(total) +
                                               " entries, more than " + std::to_string(kMaxRows));
  }
  Column::Ints ids;
  ids.reserve(total);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    RANKD_TRY(AppendIds(commands.key(i), replies[i], ids));
  }
  return Column::Make(std::move(ids));
}

}  // namespace rankd
