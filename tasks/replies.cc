#include "tasks/replies.h"

#include <string>

#include "tasks/quote.h"

namespace rankd {

Result<void> CheckCount(const CommandBatch& commands, const Replies& replies) {
  if (replies.size() == commands.size()) return {};
  return Fail(ErrorCode::kInternal, std::to_string(replies.size()) + " replies to " +
                                        std::to_string(commands.size()) + " commands");
}

Result<void> CheckArray(const CommandBatch& commands, std::size_t command, const ReplyNode& reply) {
  if (reply.kind == ReplyKind::kArray) return {};
  const std::string what =
      "the reply to " + std::string(VerbName(commands.verb(command))) + " is no array";
  return BadReply(commands.key(command), reply, what);
}

std::unexpected<Error> BadReply(std::string_view redis_key, const ReplyNode& element,
                                std::string_view what) {
  std::string message = "Redis key " + Quote(redis_key) + ": ";
  if (element.kind == ReplyKind::kError) {
    // The server's own words; in quotes only where they are not fit for a message.
    const std::string quoted = Quote(element.text());
    const std::string_view inside = std::string_view(quoted).substr(1, quoted.size() - 2);
    message += inside == element.text() ? std::string_view(element.text()) : quoted;
    return Fail(ErrorCode::kRedisError, std::move(message));
  }
  message += what;
  return Fail(ErrorCode::kBadData, std::move(message));
}

}  // namespace rankd
