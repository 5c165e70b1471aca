#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/next_turn.h"
#include "engine/task/spec.h"
#include "tasks/common_params.h"
#include "tasks/hash_fields.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// The input rows, with fields of each row's hash written.
class Features final : public AsyncTask {
 public:
  Features(EndpointId endpoint, HashFields fields, KeyTemplate key)
      : endpoint_(endpoint), fields_(std::move(fields)), key_(std::move(key)) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    KeySet keys = inputs[0];
    fields_.AddTo(keys);
    return keys;
  }

  std::size_t RoundTrips() const override { return fields_.empty() ? 0 : 1; }

  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    if (fields_.empty()) co_return context.inputs[0];
    const RowSet& rows = context.inputs[0];
    const bool many = rows.rows() > kManyCommands;
    CommandBatch commands;
    std::vector<std::int64_t> ids;  // that the commands refer to
    std::vector<ColumnBuilder> columns;
    const std::size_t at_once = fields_.most_at_once();
    for (std::size_t first = 0; first < rows.rows(); first += at_once) {
      if (many) {
        NextTurn turn(*context.loop);
        co_await turn;
      }
      const std::size_t end = std::min(rows.rows(), first + at_once);
      Result<void> asked = AskForHashes(context, first, end, ids, commands);
      if (!asked) co_return std::unexpected(std::move(asked).error());
      KvCall call = context.Call(endpoint_, commands);
      Result<Replies> replies = co_await call;
      if (!replies) co_return std::unexpected(std::move(replies).error());
      const HashFields::HMGetReplies all{commands, *replies, rows, first};
      for (std::size_t row = first; row < end;) {
        if (many) {
          NextTurn turn(*context.loop);
          co_await turn;
          if (context.stop_source->stopped()) co_return Cancelled();
        }
        Result<std::size_t> next = fields_.ReadHMGet(all, row - first, columns);
        if (!next) co_return std::unexpected(std::move(next).error());
        row = first + *next;
      }
    }
    co_return fields_.WriteTo(rows, fields_.Finish(std::move(columns)));
  }

 private:
  Result<void> AskForHashes(const AsyncContext& context, std::size_t first, std::size_t end,
                            std::vector<std::int64_t>& ids, CommandBatch& commands) const {
    const RowSet& rows = context.inputs[0];
    commands.Clear();
    if (key_.uses_only_id()) {
      ids.clear();
      for (std::size_t row = first; row < end; ++row) ids.push_back(rows.IdAt(row));
      fields_.AskEach(ids, key_, commands);
      return {};
    }
    std::string redis_key;
    for (std::size_t row = first; row < end; ++row) {
      redis_key.clear();
      RANKD_TRY(key_.Append(rows, row, *context.schema, redis_key));
      fields_.Ask(redis_key, commands);
    }
    return {};
  }

  EndpointId endpoint_;
  HashFields fields_;
  KeyTemplate key_;
};

std::unique_ptr<const Task> MakeFeatures(TaskBuilder& builder) {
  const std::optional<EndpointId> endpoint = builder.Endpoint("endpoint");
  std::optional<HashFields> fields;
  if (builder.Find("fields") == nullptr) {
    MissingParam(builder, "features", "\"fields\"");
  } else {
    fields = ReadFieldsParam(builder, DefaultFields::kNone);
  }
  std::optional<KeyTemplate> key = builder.Template("key", "user:{id}");
  if (!endpoint || !fields || !key) return nullptr;
  return std::make_unique<Features>(*endpoint, *std::move(fields), *std::move(key));
}

constexpr ParamDoc kFeaturesParams[] = {
    {"endpoint", "endpoint", true, "", "where the hashes are read"},
    {"fields", "list of keys", true, "", "fields of each row's hash to write"},
    {"key", "key template", false, "\"user:{id}\"",
     "the hash of a row; {name} is any key it carries"},
};

}  // namespace

constinit const TaskSpec kFeaturesTask = {
    .op = "features",
    .doc = "The input rows, with fields of each row's hash (HMGET) written.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "io",
    .params = kFeaturesParams,
    .make = MakeFeatures};

}  // namespace rankd
