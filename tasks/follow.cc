// follow, recommendation and media: the same task, each with its own keys and fields by default.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/io/next_turn.h"
#include "engine/task/spec.h"
#include "tasks/common_params.h"
#include "tasks/hash_fields.h"
#include "tasks/list_ids.h"
#include "tasks/pipelines.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// The ids in each input row's list, hydrated from their hashes.
class ListTask final : public AsyncTask {
 public:
  struct Params {
    EndpointId endpoint;
    std::optional<NumberParam> fanout;  ///< None: the whole list.
    HashFields fields;
    KeyTemplate key;
    KeyTemplate hydrate_key;
  };
  explicit ListTask(Params params) : params_(std::move(params)) {}

  KeySet OutputKeys(std::span<const KeySet>) const override {
    KeySet keys;
    params_.fields.AddTo(keys);
    return keys;
  }

  std::size_t RoundTrips() const override { return params_.fields.empty() ? 1 : 2; }

  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    const Result<std::int64_t> last = LastEntry(context);  // refused without rows too
    if (!last) co_return std::unexpected(last.error());
    const RowSet& owners = context.inputs[0];
    const bool many_lists = owners.rows() > kManyCommands;
    CommandBatch commands;
    IdLists lists;
    for (std::size_t first = 0; first < owners.rows(); first += kListsPerPipeline) {
      if (many_lists) {
        NextTurn turn(*context.loop);
        co_await turn;
      }
      const std::size_t end = std::min(owners.rows(), first + kListsPerPipeline);
      Result<void> asked = AskForLists(context, first, end, *last, commands);
      if (!asked) co_return std::unexpected(std::move(asked).error());
      KvCall call = context.Call(params_.endpoint, commands);
      Result<Replies> replies = co_await call;
      if (!replies) co_return std::unexpected(std::move(replies).error());
      Result<void> read = lists.Begin(commands, *replies);
      while (read) {
        read = lists.ReadSome(kValuesPerTurn);
        if (!read || lists.done()) break;
        NextTurn turn(*context.loop);
        co_await turn;
        if (context.stop_source->stopped()) read = Cancelled();
      }
      if (!read) co_return std::unexpected(std::move(read).error());
    }
    ColumnRef ids = std::move(lists).Finish();
    if (params_.fields.empty()) co_return RowSet(std::move(ids));

    const RowSet rows(ids);
    const bool many = rows.rows() > kManyCommands;
    std::vector<ColumnBuilder> columns;
    const std::size_t at_once = params_.fields.most_at_once();
    for (std::size_t first = 0; first < rows.rows(); first += at_once) {
      if (many) {
        NextTurn turn(*context.loop);
        co_await turn;
      }
      commands.Clear();
      const std::size_t count = std::min(at_once, rows.rows() - first);
      params_.fields.AskEach(ids->ints().subspan(first, count), params_.hydrate_key, commands);
      KvCall hash_call = context.Call(params_.endpoint, commands);
      Result<Replies> hashes = co_await hash_call;
      if (!hashes) co_return std::unexpected(std::move(hashes).error());
      const HashFields::HMGetReplies replies{commands, *hashes, rows, first};
      for (std::size_t done = 0; done < count;) {
        if (many) {
          NextTurn turn(*context.loop);
          co_await turn;
          if (context.stop_source->stopped()) co_return Cancelled();
        }
        Result<std::size_t> next = params_.fields.ReadHMGet(replies, done, columns);
        if (!next) co_return std::unexpected(std::move(next).error());
        done = *next;
      }
    }
    co_return params_.fields.MakeRows(std::move(ids), params_.fields.Finish(std::move(columns)));
  }

 private:
  /// Of each list, as LRANGE counts them.
  Result<std::int64_t> LastEntry(const AsyncContext& context) const {
    if (!params_.fanout) return -1;
    RANKD_TRY(const std::int64_t fanout, params_.fanout->Evaluate(context));
    return fanout - 1;
  }

  /// The lists of the input rows from `first` to `end`, each up to the entry `last`.
  Result<void> AskForLists(const AsyncContext& context, std::size_t first, std::size_t end,
                           std::int64_t last, CommandBatch& commands) const {
    const RowSet& rows = context.inputs[0];
    commands.Clear();
    std::string redis_key;
    for (std::size_t row = first; row < end; ++row) {
      redis_key.clear();
      RANKD_TRY(params_.key.Append(rows, row, *context.schema, redis_key));
      commands.LRange(redis_key, 0, last);
    }
    return {};
  }

  Params params_;
};

std::unique_ptr<const Task> MakeListTask(TaskBuilder& builder, std::string_view default_key,
                                         DefaultFields default_fields) {
  const std::optional<EndpointId> endpoint = builder.Endpoint("endpoint");
  std::optional<NumberParam> fanout;
  bool fanout_is_right = true;
  if (builder.Find("fanout") != nullptr) {
    fanout = builder.Number("fanout", 1, 10'000'000, std::nullopt);
    fanout_is_right = fanout.has_value();
  }
  std::optional<HashFields> fields = ReadFieldsParam(builder, default_fields);
  std::optional<KeyTemplate> key = builder.Template("key", default_key);
  std::optional<KeyTemplate> hydrate_key = ReadIdTemplateParam(builder, "hydrate_key", "user:{id}");
  if (!endpoint || !fanout_is_right || !fields || !key || !hydrate_key) return nullptr;
  ListTask::Params params{*endpoint, std::move(fanout), *std::move(fields), *std::move(key),
                          *std::move(hydrate_key)};
  return std::make_unique<ListTask>(std::move(params));
}

std::unique_ptr<const Task> MakeFollow(TaskBuilder& builder) {
  return MakeListTask(builder, "follow:{id}", DefaultFields::kCountry);
}

std::unique_ptr<const Task> MakeRecommendation(TaskBuilder& builder) {
  return MakeListTask(builder, "recommendation:{id}", DefaultFields::kCountry);
}

std::unique_ptr<const Task> MakeMedia(TaskBuilder& builder) {
  return MakeListTask(builder, "media:{id}", DefaultFields::kNone);
}

constexpr ParamDoc kEndpoint{"endpoint", "endpoint", true, "", "where lists and hashes are read"};
constexpr ParamDoc kFanout{"fanout", "int or {expr}", false, "",
                           "how many of each list, 1 to 10000000; the whole list by default"};
constexpr ParamDoc kCountryField{
    "fields", "list of keys", false, "[\"country\"]",
    "fields of each id's hash to carry; the default holds where such a key is registered"};
constexpr ParamDoc kNoField{"fields", "list of keys", false, "[]",
                            "fields of each id's hash to carry"};
constexpr std::string_view kKeyDoc = "the list of an input row; {name} is any key it carries";
constexpr ParamDoc kHydrateKey{"hydrate_key", "key template", false, "\"user:{id}\"",
                               "the hash of an id"};

constexpr ParamDoc kFollowParams[] = {
    kEndpoint,   kFanout, kCountryField, {"key", "key template", false, "\"follow:{id}\"", kKeyDoc},
    kHydrateKey,
};
constexpr ParamDoc kRecommendationParams[] = {
    kEndpoint,     kFanout,
    kCountryField, {"key", "key template", false, "\"recommendation:{id}\"", kKeyDoc},
    kHydrateKey,
};
constexpr ParamDoc kMediaParams[] = {
    kEndpoint,   kFanout, kNoField, {"key", "key template", false, "\"media:{id}\"", kKeyDoc},
    kHydrateKey,
};

constexpr TaskSpec ListSpec(std::string_view op, std::string_view doc,
                            std::span<const ParamDoc> params,
                            std::unique_ptr<const Task> (*make)(TaskBuilder&)) {
  return {.op = op,
          .doc = doc,
          .min_inputs = 1,
          .max_inputs = 1,
          .takes_rhs = false,
          .kind = "io",
          .params = params,
          .make = make};
}

}  // namespace

constinit const TaskSpec kFollowTask =
    ListSpec("follow", "The ids each input row follows (LRANGE), with fields of their hashes.",
             kFollowParams, MakeFollow);

constinit const TaskSpec kRecommendationTask =
    ListSpec("recommendation",
             "The ids recommended to each input row (LRANGE), with fields of their hashes.",
             kRecommendationParams, MakeRecommendation);

constinit const TaskSpec kMediaTask =
    ListSpec("media", "The ids of each input row's media (LRANGE), with fields of their hashes.",
             kMediaParams, MakeMedia);

}  // namespace rankd
