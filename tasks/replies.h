// Replies of a store, checked: what a task asked for, or an error that names the Redis key.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kv/command.h"
#include "engine/kv/reply.h"

namespace rankd {

/// One reply for each command, else internal (a store's fault).
[[nodiscard]] Result<void> CheckCount(const CommandBatch& commands, const Replies& replies);

/// The reply must be an array: redis_error with the server's text for an error reply, bad_data for
/// any other kind.
[[nodiscard]] Result<void> CheckArray(const CommandBatch& commands, std::size_t command,
                                      const ReplyNode& reply);

/// `bad_data`, or redis_error where `element` is an error itself: `"user:1": what`.
std::unexpected<Error> BadReply(std::string_view redis_key, const ReplyNode& element,
                                std::string_view what);

}  // namespace rankd
