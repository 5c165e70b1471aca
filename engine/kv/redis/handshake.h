// What is said before the first pipeline of a connection: AUTH and SELECT, where they are needed.
#pragma once

#include <cstddef>
#include <string>

#include "engine/kv/redis/redis_client.h"
#include "engine/kv/reply.h"

namespace rankd {

class Handshake {
 public:
  /// Appends the commands to `out`, as one pipeline; false when there is nothing to say.
  bool Begin(const RedisOptions& options, std::string& out);

  /// Where its replies are to be appended.
  Replies& replies() { return replies_; }
  /// One more has been; true when it was the last.
  bool Took();
  /// The server's words, once all have been taken: "AUTH: WRONGPASS …". Empty: it agreed.
  const std::string& error() const { return error_; }
  /// For messages.
  const char* waiting_for() const { return "waiting for the answer to AUTH or SELECT"; }

 private:
  bool auth_ = false;
  std::size_t expected_ = 0;
  std::string error_;
  Replies replies_;
};

}  // namespace rankd
