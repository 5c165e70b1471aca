// A KvClient over one pipelined connection to a Redis server. One per endpoint and loop, loop
// thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/io/uv_loop.h"
#include "engine/kv/kv.h"

namespace rankd {

struct RedisOptions {
  std::string name;                ///< The endpoint's.
  std::string host = "127.0.0.1";  ///< A name or an address; every address of a name is tried.
  std::uint16_t port = 6379;
  std::string unix_socket;  ///< A path; instead of host and port.
  int db = 0;
  std::string username;
  std::string password;

  std::size_t max_inflight = 64;
  /// Of one attempt: name lookup, connect, AUTH and SELECT together. 0: no limit.
  std::chrono::milliseconds connect_timeout{50};
  /// Of one pipeline, from the send. 0: no limit.
  std::chrono::milliseconds request_timeout{1000};
};

/// Connects at the first Submit. While an attempt to connect runs, requests wait for it; after a
/// failed one it tries again in the background (10 ms doubling to 1 s, times 0.5…1 at random), and
/// between attempts requests fail at once. A lost connection fails what is in flight; one that had
/// proved itself is replaced by an attempt that starts at once.
///
/// redis_unavailable names endpoint, address and reason. A timed-out or abandoned pipeline frees
/// its place at once; its replies are dropped when they come. A connection whose oldest unanswered
/// command is older than max(1 s, 10 × request_timeout) is closed, as are one with more than 64 MiB
/// of commands that nobody waits for any more and one whose peer does not speak RESP.
class RedisClient final : public KvClient {
 public:
  RedisClient(UvLoop& loop, RedisOptions options);
  /// Loop thread, never from within OnReplies. Every request must have been answered or abandoned:
  /// OnReplies is not called from here. The sockets close in the loop's next turns, at the latest
  /// in its destructor.
  ~RedisClient() override;

  void Submit(KvRequest& request) override;
  void Abandon(KvRequest& request) override;
  const std::string& name() const override;

  std::size_t in_flight() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace rankd
