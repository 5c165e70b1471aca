#include "engine/kv/redis/handshake.h"

#include <initializer_list>
#include <string_view>
#include <vector>

#include <hiredis/hiredis.h>

#include "engine/base/check.h"

namespace rankd {
namespace {

void AppendCommand(std::string& out, std::initializer_list<std::string_view> arguments) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string_view argument : arguments) {
    texts.push_back(argument.data());
    sizes.push_back(argument.size());
  }
  char* command = nullptr;
  const auto size =
      redisFormatCommandArgv(&command, static_cast<int>(texts.size()), texts.data(), sizes.data());
  RANKD_CHECK(size > 0);
  out.append(command, static_cast<std::size_t>(size));
  redisFreeCommand(command);
}

}  // namespace

bool Handshake::Begin(const RedisOptions& options, std::string& out) {
  expected_ = 0;
  error_.clear();
  replies_ = Replies();
  auth_ = !options.username.empty() || !options.password.empty();
  if (auth_ && options.username.empty()) {
    AppendCommand(out, {"AUTH", options.password});
  } else if (auth_) {
    AppendCommand(out, {"AUTH", options.username, options.password});
  }
  if (options.db != 0) AppendCommand(out, {"SELECT", std::to_string(options.db)});
  expected_ = (auth_ ? 1u : 0u) + (options.db != 0 ? 1u : 0u);
  return expected_ > 0;
}

bool Handshake::Took() {
  const ReplyNode& reply = replies_[replies_.size() - 1];
  if (reply.kind == ReplyKind::kError && error_.empty()) {
    const bool of_auth = auth_ && replies_.size() == 1;
    error_ = (of_auth ? "AUTH: " : "SELECT: ") + std::string(reply.text());
  }
  return replies_.size() == expected_;
}

}  // namespace rankd
