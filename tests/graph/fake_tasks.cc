#include "tests/graph/fake_tasks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/plan/registry.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

/// Adds keys to those of the inputs together.
class FakeCpu : public CpuTask {
 public:
  explicit FakeCpu(std::vector<KeyId> added = {}) : added_(std::move(added)) {}
  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    KeySet keys(added_);
    for (const KeySet& input : inputs) keys.AddAll(input);
    return keys;
  }
  Result<RowSet> Run(const NodeContext&) const override { return RowSet(); }
  CpuCost cost() const override { return {}; }

 protected:
  std::vector<KeyId> added_;
};

class FakePair final : public FakeCpu {
 public:
  using FakeCpu::FakeCpu;
  Result<void> CheckInputs(std::span<const KeySet> inputs, const Schema& schema) const override {
    for (std::size_t i = 0; i < added_.size(); ++i) {
      if (!inputs[0].Contains(added_[i])) continue;
      Error error(ErrorCode::kInvalidPlan,
                  "the left carries \"" + schema.key(added_[i]).name + "\" already");
      return std::unexpected(std::move(error).At(JsonPointer("/select", i)));
    }
    return {};
  }
};

class FakeAsync final : public AsyncTask {
 public:
  explicit FakeAsync(std::vector<KeyId> keys) : keys_(std::move(keys)) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return KeySet(keys_); }
  Co<Result<RowSet>> Run(const AsyncContext&) const override { co_return RowSet(); }

 private:
  std::vector<KeyId> keys_;
};

std::unique_ptr<const Task> MakeSource(TaskBuilder& builder) {
  const auto count = builder.Number("count", 1, 100, std::nullopt);
  if (builder.Flag("user", false)) builder.NeedUserId();
  if (!count) return nullptr;
  return std::make_unique<FakeCpu>();
}

std::unique_ptr<const Task> MakeFetch(TaskBuilder& builder) {
  const auto endpoint = builder.Endpoint("endpoint");
  const auto key = builder.Template("key", "user:{id}");
  auto fields = builder.KeyList("fields", KeyUse::kWrite);
  builder.NeedUserId();
  if (!endpoint || !key) return nullptr;
  return std::make_unique<FakeAsync>(fields.value_or(std::vector<KeyId>()));
}

std::unique_ptr<const Task> MakePlain(TaskBuilder&) { return std::make_unique<FakeCpu>(); }

std::unique_ptr<const Task> MakePair(TaskBuilder& builder) {
  auto select = builder.KeyList("select", KeyUse::kWrite);
  return std::make_unique<FakePair>(select.value_or(std::vector<KeyId>()));
}

std::unique_ptr<const Task> MakeSet(TaskBuilder& builder) {
  const auto key = builder.Key("out_key", KeyUse::kWrite);
  const auto expression = builder.RowExpression("expr", key);
  if (!key || !expression) return nullptr;
  return std::make_unique<FakeCpu>(std::vector<KeyId>{*key});
}

std::unique_ptr<const Task> MakeKeep(TaskBuilder& builder) {
  if (!builder.Predicate("pred")) return nullptr;
  return std::make_unique<FakeCpu>();
}

std::unique_ptr<const Task> MakeChoose(TaskBuilder& builder) {
  builder.Choice("how", {"a", "b"}, std::nullopt);
  builder.Choice("order", {"up", "down"}, 0);
  builder.KeyOr("by", KeyUse::kRead, kIdKey);
  if (const Json* deep = builder.Find("deep")) {
    for (std::size_t i = 0; i < deep->items().size(); ++i) {
      builder.KeyValue(*deep->items()[i].Find("key"), JsonPointer("/deep", i) + "/key",
                       KeyUse::kRead);
    }
  }
  if (const Json* out = builder.Find("out")) {
    for (const JsonField& field : out->fields()) {
      const std::string pointer = JsonPointer("/out", field.name);
      const auto key = builder.KeyNamed(field.name, pointer, KeyUse::kWrite);
      if (key) builder.ScalarExpression(field.value, pointer, *key);
    }
  }
  return std::make_unique<FakeCpu>();
}

constexpr ParamDoc kSource[] = {{"count", "int", true, "", ""}, {"user", "bool", false, "", ""}};
constexpr ParamDoc kFetch[] = {{"endpoint", "endpoint", true, "", ""},
                               {"key", "template", false, "", ""},
                               {"fields", "keys", false, "", ""}};
constexpr ParamDoc kPair[] = {{"select", "keys", false, "", ""}};
constexpr ParamDoc kSet[] = {{"out_key", "key", true, "", ""},
                             {"expr", "expression", false, "", ""},
                             {"expr_id", "id", false, "", ""}};
constexpr ParamDoc kKeep[] = {{"pred", "predicate", false, "", ""},
                              {"pred_id", "id", false, "", ""}};
// `deep` is not documented: that it is read is enough.
constexpr ParamDoc kChoose[] = {{"how", "choice", true, "", ""},
                                {"order", "choice", false, "", ""},
                                {"by", "key", false, "", ""},
                                {"out", "object", false, "", ""}};

constexpr TaskSpec Spec(std::string_view op, std::size_t low, std::size_t high, bool rhs,
                        std::span<const ParamDoc> params,
                        std::unique_ptr<const Task> (*make)(TaskBuilder&)) {
  TaskSpec spec;
  spec.op = op;
  spec.min_inputs = low;
  spec.max_inputs = high;
  spec.takes_rhs = rhs;
  spec.params = params;
  spec.make = make;
  return spec;
}

constexpr TaskSpec kFakeTasks[] = {
    Spec("source", 0, 0, false, kSource, MakeSource),
    Spec("fetch", 0, 1, false, kFetch, MakeFetch),
    Spec("pass", 1, 1, false, {}, MakePlain),
    Spec("any", 0, kAnyNumberOfInputs, false, {}, MakePlain),
    Spec("merge", 2, kAnyNumberOfInputs, true, {}, MakePlain),
    Spec("pair", 2, 2, true, kPair, MakePair),
    Spec("set", 1, 1, false, kSet, MakeSet),
    Spec("keep", 1, 1, false, kKeep, MakeKeep),
    Spec("choose", 1, 1, false, kChoose, MakeChoose),
};

constexpr auto kFakeTaskList = [] {
  std::array<const TaskSpec*, std::size(kFakeTasks)> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = &kFakeTasks[i];
  return list;
}();

}  // namespace

TaskCatalog FakeTasks() { return TaskCatalog(kFakeTaskList); }

Schema FakeSchema() {
  const JsonDocument document = MustParse(R"({
    "keys": [{"id": 1, "name": "id", "type": "int", "nullable": false},
             {"id": 2002, "name": "score", "type": "float"},
             {"name": "n", "type": "int"},
             {"name": "kept", "type": "int", "allow_write": false},
             {"name": "old", "type": "int", "status": "deprecated"},
             {"name": "gone", "type": "int", "status": "blocked"},
             {"name": "text", "type": "string"}],
    "params": [{"name": "weight", "type": "float"}, {"name": "limit", "type": "int"},
               {"name": "old_param", "type": "int", "status": "deprecated"},
               {"name": "gone_param", "type": "int", "status": "blocked"}]})");
  Problems problems;
  Schema schema = ParseRegistry(document.root(), problems);
  REQUIRE(problems.all().empty());
  return schema;
}

EndpointTable FakeEndpoints() {
  EndpointSpec spec;
  spec.endpoint_id = "ep_0001";
  spec.name = "redis_default";
  return EndpointTable({spec});
}

std::string PlanJson(std::string_view nodes, std::string_view outputs, std::string_view more) {
  return R"({"schema_version":1,"plan_name":"p","nodes":[)" + std::string(nodes) +
         R"(],"outputs":[)" + std::string(outputs) + "]" + std::string(more) + "}";
}

std::shared_ptr<const Graph> Build(std::string_view json, Problems& problems) {
  const std::unique_ptr<Plan> plan = ParsePlan(MustParse(json), FakeSchema(), "", problems);
  if (plan == nullptr) return nullptr;
  return BuildGraph(*plan, FakeTasks(), FakeEndpoints(), nullptr, problems);
}

std::shared_ptr<const Graph> MustBuild(std::string_view json) {
  Problems problems;
  std::shared_ptr<const Graph> graph = Build(json, problems);
  REQUIRE_MESSAGE(graph != nullptr, ShowProblems(problems));
  return graph;
}

}  // namespace rankd
