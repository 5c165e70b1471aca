#include "cli/store_clients.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "engine/kv/memory/memory_client.h"
#include "engine/kv/redis/redis_client.h"

namespace rankd {
namespace {

MemoryOptions MemoryOptionsOf(const EndpointSpec& endpoint) {
  MemoryOptions options;
  options.name = endpoint.name;
  options.max_inflight = endpoint.max_inflight;
  options.request_timeout = endpoint.request_timeout;
  options.latency.fill(endpoint.latency.all);
  for (std::size_t verb = 0; verb < kVerbCount; ++verb) {
    for (const MemoryLatency::OfCommand& of : endpoint.latency.by_command) {
      if (of.command == VerbName(static_cast<Verb>(verb))) options.latency[verb] = of.latency;
    }
  }
  return options;
}

/// The value of an environment variable an endpoint names; empty for none.
std::string FromEnvironment(const std::string& variable) {
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  return value == nullptr ? std::string() : std::string(value);
}

/// The endpoint may be one that no plan uses, so this is no error; where it is used, the server's
/// refusal would not say why.
void NoteUnset(const EndpointSpec& endpoint, const std::string& variable, const char* field,
               Console& console) {
  if (variable.empty() || std::getenv(variable.c_str()) != nullptr) return;
  console.Note("endpoint " + endpoint.name + ": the environment variable " + variable +
               ", named by " + field + ", is not set");
}

RedisOptions RedisOptionsOf(const EndpointSpec& endpoint) {
  RedisOptions options;
  options.name = endpoint.name;
  options.host = endpoint.host;
  options.port = endpoint.port;
  options.unix_socket = endpoint.unix_socket;
  options.db = endpoint.db;
  options.username =
      endpoint.username_env.empty() ? endpoint.username : FromEnvironment(endpoint.username_env);
  options.password =
      endpoint.password_env.empty() ? endpoint.password : FromEnvironment(endpoint.password_env);
  options.max_inflight = endpoint.max_inflight;
  options.connect_timeout = endpoint.connect_timeout;
  options.request_timeout = endpoint.request_timeout;
  return options;
}

}  // namespace

std::unique_ptr<StoreClients> StoreClients::Make(Workspace& workspace, UvLoop& loop) {
  std::unique_ptr<StoreClients> stores(new StoreClients);
  for (const EndpointSpec& endpoint : workspace.endpoints().all()) {
    if (endpoint.kind == EndpointKind::kRedis) {
      NoteUnset(endpoint, endpoint.username_env, "username_env", workspace.console());
      NoteUnset(endpoint, endpoint.password_env, "password_env", workspace.console());
      stores->owned_.push_back(std::make_unique<RedisClient>(loop, RedisOptionsOf(endpoint)));
    } else {
      std::shared_ptr<const MemoryStore> data = workspace.LoadStore(endpoint);
      if (data == nullptr) return nullptr;
      stores->owned_.push_back(
          std::make_unique<MemoryClient>(loop, std::move(data), MemoryOptionsOf(endpoint)));
    }
    stores->by_endpoint_.push_back(stores->owned_.back().get());
  }
  return stores;
}

}  // namespace rankd
