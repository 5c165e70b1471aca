#include "engine/plan/endpoints.h"

#include <array>
#include <limits>
#include <unordered_map>

#include "engine/base/suggest.h"
#include "engine/plan/object_reader.h"
#include "engine/plan/place.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 1> kFileFields = {"endpoints"};
constexpr std::array<std::string_view, 11> kFields = {
    "endpoint_id", "name",         "kind",         "resolver", "policy",     "db",
    "unix_socket", "username_env", "password_env", "data",     "latency_ms",
};
constexpr std::array<std::string_view, 4> kRedisOnly = {"db", "unix_socket", "username_env",
                                                        "password_env"};
constexpr std::array<std::string_view, 2> kMemoryOnly = {"data", "latency_ms"};
constexpr std::array<std::string_view, 3> kResolverFields = {"type", "host", "port"};
constexpr std::array<std::string_view, 3> kPolicyFields = {"max_inflight", "connect_timeout_ms",
                                                           "request_timeout_ms"};
constexpr std::array<std::string_view, 2> kKinds = {"redis", "memory"};

constexpr std::int64_t kMaxInflight = 1'000'000;
constexpr std::int64_t kMaxMilliseconds = 1'000'000'000;

void ReadText(ObjectReader& reader, std::string_view field, std::string& text) {
  const std::optional<std::string_view> given = reader.String(field, Need::kOptional);
  if (!given) return;
  if (given->empty()) reader.Problem(field, JsonQuoted(field) + " must not be empty");
  text = *given;
}

void ReadMilliseconds(ObjectReader& reader, std::string_view field, milliseconds& time) {
  if (const auto given = reader.Int(field, 1, kMaxMilliseconds)) time = milliseconds(*given);
}

/// Nullopt when it has no kind that could be read.
std::optional<EndpointKind> ReadKind(ObjectReader& reader) {
  const std::optional<std::string_view> kind = reader.String("kind", Need::kRequired);
  if (!kind) return std::nullopt;
  if (*kind == "redis") return EndpointKind::kRedis;
  if (*kind == "memory") return EndpointKind::kMemory;
  reader.Problem("kind", "unknown kind " + JsonQuoted(*kind) + DidYouMean(*kind, kKinds) +
                             " (kinds are redis and memory)");
  return std::nullopt;
}

void ReadResolver(const Json* json, const Place& place, EndpointSpec& spec, Problems& problems) {
  if (json == nullptr) return;
  ObjectReader reader(*json, place, problems);
  reader.RefuseOthers(kResolverFields);
  const std::optional<std::string_view> type = reader.String("type", Need::kOptional);
  if (type && *type != "static") {
    reader.Problem("type", "unknown resolver " + JsonQuoted(*type) + " (this build has static)");
  }
  ReadText(reader, "host", spec.host);
  if (const auto port = reader.Int("port", 1, std::numeric_limits<std::uint16_t>::max())) {
    spec.port = static_cast<std::uint16_t>(*port);
  }
}

void ReadPolicy(const Json* json, const Place& place, EndpointSpec& spec, Problems& problems) {
  if (json == nullptr) return;
  ObjectReader reader(*json, place, problems);
  reader.RefuseOthers(kPolicyFields);
  if (const auto most = reader.Int("max_inflight", 1, kMaxInflight)) {
    spec.max_inflight = static_cast<std::size_t>(*most);
  }
  ReadMilliseconds(reader, "connect_timeout_ms", spec.connect_timeout);
  ReadMilliseconds(reader, "request_timeout_ms", spec.request_timeout);
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

/// One number, or an object by command.
void ReadLatency(ObjectReader& reader, const Place& place, EndpointSpec& spec, Problems& problems) {
  const Json* json = reader.Find("latency_ms");
  if (json == nullptr) return;
  if (!json->is_object()) {
    if (const auto all = reader.Int("latency_ms", 0, kMaxMilliseconds)) {
      spec.latency.all = milliseconds(*all);
    }
    return;
  }
  const Place here(place, "latency_ms");
  ObjectReader by_command(*json, here, problems);
  for (const JsonField& field : json->fields()) {
    const auto latency = by_command.Int(field.name, 0, kMaxMilliseconds);
    if (!latency) continue;
    spec.latency.by_command.push_back({UpperCase(field.name), milliseconds(*latency)});
  }
}

void RefuseFieldsOf(std::string_view other_kind, std::span<const std::string_view> fields,
                    ObjectReader& reader) {
  for (const std::string_view field : fields) {
    if (reader.Find(field) == nullptr) continue;
    reader.Problem(field,
                   JsonQuoted(field) + " is for endpoints of kind " + JsonQuoted(other_kind));
  }
}

EndpointSpec ParseEndpoint(const Json& json, const Place& place, Problems& problems) {
  EndpointSpec spec;
  ObjectReader reader(json, place, problems);
  reader.RefuseOthers(kFields);
  ReadText(reader, "endpoint_id", spec.endpoint_id);
  ReadText(reader, "name", spec.name);
  if (reader.Find("name") == nullptr && reader.Find("endpoint_id") == nullptr) {
    reader.Problem("name", "an endpoint needs a \"name\" or an \"endpoint_id\"");
  }
  if (spec.name.empty()) spec.name = spec.endpoint_id;

  if (const std::optional<EndpointKind> kind = ReadKind(reader)) {
    spec.kind = *kind;
    if (*kind == EndpointKind::kRedis) {
      RefuseFieldsOf("memory", kMemoryOnly, reader);
    } else {
      RefuseFieldsOf("redis", kRedisOnly, reader);
    }
  }
  ReadResolver(reader.Object("resolver"), Place(place, "resolver"), spec, problems);
  ReadPolicy(reader.Object("policy"), Place(place, "policy"), spec, problems);
  ReadText(reader, "unix_socket", spec.unix_socket);
  if (const auto db = reader.Int("db", 0, kMaxRedisDb)) spec.db = static_cast<int>(*db);
  ReadText(reader, "username_env", spec.username_env);
  ReadText(reader, "password_env", spec.password_env);
  ReadText(reader, "data", spec.data);
  ReadLatency(reader, place, spec, problems);
  return spec;
}

/// A name must lead to one endpoint, whether it is an id or a name.
class NameCheck {
 public:
  NameCheck(const Place& all, Problems& problems) : all_(all), problems_(problems) {}

  void Add(const Json& json, std::size_t index) {
    const auto add = [&](std::string_view field) {
      const Json* value = json.Find(field);
      const std::optional<std::string_view> name = value ? value->AsString() : std::nullopt;
      if (!name) return;
      const auto [known, is_new] = owner_.try_emplace(std::string(*name), index);
      if (is_new || known->second == index) return;
      const Place here(all_, index);
      problems_.Add(Place(here, field).Pointer(),
                    "another endpoint has the name or id " + JsonQuoted(*name) + " already");
    };
    add("endpoint_id");
    add("name");
  }

 private:
  const Place& all_;
  Problems& problems_;
  std::unordered_map<std::string, std::size_t> owner_;
};

}  // namespace

std::optional<EndpointId> EndpointTable::Find(std::string_view id_or_name) const {
  if (id_or_name.empty()) return std::nullopt;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].endpoint_id == id_or_name || specs_[i].name == id_or_name) {
      return EndpointId{static_cast<std::uint32_t>(i)};
    }
  }
  return std::nullopt;
}

void EndpointTable::RedirectTo(const RedisUrl& url) {
  for (EndpointSpec& spec : specs_) {
    spec.kind = EndpointKind::kRedis;
    spec.host = url.host;
    spec.port = url.port;
    spec.unix_socket = url.unix_socket;
    spec.db = url.db;
    // The credentials of a file are those of another server: they are not sent to this one.
    spec.username = url.username;
    spec.password = url.password;
    spec.username_env.clear();
    spec.password_env.clear();
  }
}

EndpointTable ParseEndpoints(const Json& root, Problems& problems) {
  std::vector<EndpointSpec> specs;
  if (!root.is_object()) {
    problems.Add("", "an endpoints file must be an object, not " + root.Describe());
    return EndpointTable();
  }
  RefuseRepeatedFields(root, problems);
  const Place place;
  ObjectReader reader(root, place, problems);
  reader.RefuseOthers(kFileFields);
  const Json* list = reader.Array("endpoints", Need::kRequired);
  if (list == nullptr) return EndpointTable();
  const Place all(place, "endpoints");
  NameCheck names(all, problems);
  for (std::size_t i = 0; i < list->items().size(); ++i) {
    const Json& item = list->items()[i];
    const Place here(all, i);
    if (!item.is_object()) {
      problems.Add(here.Pointer(), "an endpoint must be an object, not " + item.Describe());
      continue;
    }
    specs.push_back(ParseEndpoint(item, here, problems));
    names.Add(item, i);
  }
  return EndpointTable(std::move(specs));
}

}  // namespace rankd
