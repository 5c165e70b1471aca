// endpoints.<env>.json: where data lives.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/plan/problem.h"

namespace rankd {

/// The greatest database number an endpoint or URL may name.
inline constexpr int kMaxRedisDb = 2'147'483'647;

enum class EndpointKind : std::uint8_t { kRedis, kMemory };

/// Simulated round trips of a memory endpoint.
struct MemoryLatency {
  std::chrono::milliseconds all{0};  ///< For commands not named below.
  struct OfCommand {
    std::string command;  ///< "HGETALL", upper case.
    std::chrono::milliseconds latency{0};
  };
  std::vector<OfCommand> by_command;
};

struct EndpointSpec {
  std::string endpoint_id;  ///< May be empty: the name is enough.
  std::string name;
  EndpointKind kind = EndpointKind::kRedis;

  // kRedis
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  std::string unix_socket;  ///< Instead of host and port.
  int db = 0;
  std::string username_env;  ///< Name of the environment variable, empty for none.
  std::string password_env;
  std::string username;  ///< From a --redis URL.
  std::string password;

  // kMemory
  std::string data;  ///< File name relative to the endpoints file; empty: no data.
  MemoryLatency latency;

  std::size_t max_inflight = 64;  ///< Pipelines, per loop.
  std::chrono::milliseconds connect_timeout{50};
  std::chrono::milliseconds request_timeout{1000};
};

struct RedisUrl;

/// The endpoints of one environment. Immutable once built.
class EndpointTable {
 public:
  EndpointTable() = default;
  explicit EndpointTable(std::vector<EndpointSpec> specs) : specs_(std::move(specs)) {}

  /// By endpoint_id or name.
  std::optional<EndpointId> Find(std::string_view id_or_name) const;
  const EndpointSpec& at(EndpointId id) const { return specs_[Index(id)]; }
  std::span<const EndpointSpec> all() const { return specs_; }
  /// Points every endpoint at the server of `url` (a parsed RedisUrl); nothing else changes.
  void RedirectTo(const RedisUrl& url);

 private:
  std::vector<EndpointSpec> specs_;
};

/// Reads an endpoints document. Everything wrong goes to `problems`; an endpoint whose name can be
/// read is kept, so that plans which name it are not blamed as well.
EndpointTable ParseEndpoints(const Json& root, Problems& problems);

/// redis://[user:password@]host[:port][/db] or unix:///path. Percent-escapes are decoded.
struct RedisUrl {
  std::string host;
  std::uint16_t port = 6379;
  std::string unix_socket;
  std::string username;
  std::string password;
  int db = 0;
};
/// kInvalidRequest with a message that says what is wrong; a scheme this build lacks is named.
[[nodiscard]] Result<RedisUrl> ParseRedisUrl(std::string_view url);

}  // namespace rankd
