#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/task/spec.h"
#include "tasks/common_params.h"
#include "tasks/hash_fields.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// One row: the request's user, with fields of their hash.
class Viewer final : public AsyncTask {
 public:
  Viewer(EndpointId endpoint, HashFields fields, KeyTemplate key)
      : endpoint_(endpoint), fields_(std::move(fields)), key_(std::move(key)) {}

  KeySet OutputKeys(std::span<const KeySet>) const override {
    KeySet keys;
    fields_.AddTo(keys);
    return keys;
  }

  std::size_t RoundTrips() const override { return 1; }

  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    ColumnRef ids = Column::Make(Column::Ints(1, context.user_id));
    CommandBatch commands;
    commands.HGetAll(key_.ForId(context.user_id));
    KvCall call = context.Call(endpoint_, commands);
    Result<Replies> replies = co_await call;
    if (!replies) co_return std::unexpected(std::move(replies).error());
    Result<std::vector<ColumnRef>> columns = fields_.ReadHGetAll(commands, *replies, RowSet(ids));
    if (!columns) co_return std::unexpected(std::move(columns).error());
    co_return fields_.MakeRows(std::move(ids), *std::move(columns));
  }

 private:
  EndpointId endpoint_;
  HashFields fields_;
  KeyTemplate key_;
};

std::unique_ptr<const Task> MakeViewer(TaskBuilder& builder) {
  builder.NeedUserId();
  const std::optional<EndpointId> endpoint = builder.Endpoint("endpoint");
  std::optional<HashFields> fields = ReadFieldsParam(builder, DefaultFields::kCountry);
  std::optional<KeyTemplate> key = ReadIdTemplateParam(builder, "key", "user:{id}");
  if (!endpoint || !fields || !key) return nullptr;
  return std::make_unique<Viewer>(*endpoint, *std::move(fields), *std::move(key));
}

constexpr ParamDoc kViewerParams[] = {
    {"endpoint", "endpoint", true, "", "where the hash is read"},
    {"fields", "list of keys", false, "[\"country\"]",
     "fields of the hash to carry; the default holds where such a key is registered"},
    {"key", "key template", false, "\"user:{id}\"", "the hash; {id} is the request's user_id"},
};

}  // namespace

constinit const TaskSpec kViewerTask = {
    .op = "viewer",
    .doc = "One row: the request's user_id, with fields of their hash (HGETALL).",
    .min_inputs = 0,
    .max_inputs = 0,
    .takes_rhs = false,
    .kind = "io",
    .params = kViewerParams,
    .make = MakeViewer};

}  // namespace rankd
