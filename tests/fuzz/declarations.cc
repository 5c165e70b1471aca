// Registry, endpoint and data files, and Redis URLs: each input is taken for all of them.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/kv/memory/memory_store.h"
#include "engine/kv/redis/reply_reader.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/registry.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/problems.h"

namespace rankd::fuzz {
namespace {

bool IsOfType(const Value& value, ValueType type) {
  return IsNull(value) || value.index() == static_cast<std::size_t>(type) + 1;
}

void AsRegistry(const Json& root) {
  Problems problems;
  const Schema schema = ParseRegistry(root, problems);
  RequireSoundProblems(root, problems);
  const KeySpec& id = schema.key(kIdKey);
  Require(id.name == "id" && id.type == ValueType::kInt, "id is not id");
  Require(!id.nullable && !id.allow_write, "id may be null or written");
  for (std::uint32_t i = 0; i < schema.key_count(); ++i) {
    const KeySpec& key = schema.key(KeyId{i});
    Require(schema.FindKey(key.name) == KeyId{i}, "a key that its name does not find");
    Require(IsOfType(key.default_value, key.type), "a default of another type");
  }
  for (std::uint32_t i = 0; i < schema.param_count(); ++i) {
    const ParamSpec& param = schema.param(ParamId{i});
    Require(schema.FindParam(param.name) == ParamId{i}, "a param that its name does not find");
    Require(IsOfType(param.default_value, param.type), "a default of another type");
  }
}

void AsEndpoints(const Json& root) {
  Problems problems;
  const EndpointTable table = ParseEndpoints(root, problems);
  RequireSoundProblems(root, problems);
  for (const EndpointSpec& endpoint : table.all()) {
    if (problems.has_errors()) continue;
    Require(table.Find(endpoint.name).has_value(), "an endpoint that its name does not find");
    Require(endpoint.max_inflight > 0, "nothing may be in flight");
    Require(endpoint.connect_timeout.count() >= 0, "a timeout before the start");
    Require(endpoint.request_timeout.count() >= 0, "a timeout before the start");
  }
}

/// Loading the data into Redis sends commands, all of them whole.
void AsData(std::string_view text, const Json& root) {
  std::vector<Error> problems;
  const std::shared_ptr<const MemoryStore> store =
      MemoryStore::FromJson(std::string(text), problems);
  for (const Error& problem : problems) {
    RequireSoundProblem(root, problem.pointer, problem.message);
  }
  if (store == nullptr) return;
  std::string commands;
  AppendLoadCommands(*store, commands);
  ReplyReader reader;
  Replies read;
  for (std::string_view rest = commands; !rest.empty();) {
    const std::string_view slice = rest.substr(0, ReplyReader::kSlice);
    rest.remove_prefix(slice.size());
    reader.Feed(slice);
    ReplyReader::Progress progress = ReplyReader::Progress::kReply;
    while (progress == ReplyReader::Progress::kReply) progress = reader.Next(&read);
    Require(progress == ReplyReader::Progress::kMore, "load commands that are not RESP");
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    Require(read[i].kind == ReplyKind::kArray && read[i].size >= 2, "no command");
    Require(read[i].span() == read[i].size + 1, "a command that is not flat");
  }
}

}  // namespace

void FuzzDeclarations(std::string_view bytes) {
  static_cast<void>(ParseRedisUrl(bytes));
  const Result<JsonDocument> document = ParseJson(bytes);
  if (!document) {
    std::vector<Error> problems;
    Require(MemoryStore::FromJson(std::string(bytes), problems) == nullptr,
            "data of what is no JSON");
    return;
  }
  AsRegistry(document->root());
  AsEndpoints(document->root());
  AsData(bytes, document->root());
}

}  // namespace rankd::fuzz
