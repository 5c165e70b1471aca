#include "tests/tasks/one_task.h"

#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include "engine/base/check.h"
#include "engine/plan/plan.h"
#include "tasks/builtin.h"
#include "tasks/pipelines.h"

namespace rankd {
namespace {

struct Built {
  std::shared_ptr<const Graph> graph;
  Problems problems;
};

Built Build(std::string_view nodes, std::string_view outputs) {
  std::string json = R"({"schema_version":1,"plan_name":"t","nodes":)";
  json += nodes;
  json += R"(,"outputs":)";
  json += outputs;
  json += "}";
  Result<JsonDocument> document = ParseJson(json);
  INFO(json);
  REQUIRE(document.has_value());
  EndpointSpec endpoint;
  endpoint.name = "kv";
  const EndpointTable endpoints(std::vector<EndpointSpec>(1, endpoint));
  Built built;
  const std::unique_ptr<Plan> plan =
      ParsePlan(*std::move(document), TestSchema(), "t", built.problems);
  REQUIRE(plan != nullptr);
  built.graph = BuildGraph(*plan, BuiltinTasks(), endpoints, nullptr, built.problems);
  return built;
}

Built BuildOne(std::string_view op, std::string_view params, std::size_t inputs) {
  std::string nodes = R"([{"node_id":"t","op":")";
  nodes += op;
  nodes += R"(","params":)";
  nodes += params;
  nodes += R"(,"inputs":[)";
  for (std::size_t i = 0; i < inputs; ++i) {
    nodes += (i == 0 ? "\"in" : ",\"in") + std::to_string(i) + "\"";
  }
  nodes += "]}";
  for (std::size_t i = 0; i < inputs; ++i) {
    nodes += R"(,{"node_id":"in)" + std::to_string(i) +
             R"(","op":"fixed_source","params":{"row_count":1}})";
  }
  nodes += "]";
  return Build(nodes, R"(["t"])");
}

std::vector<std::string> ProblemTexts(const Problems& problems) {
  std::vector<std::string> texts;
  for (const Problem& problem : problems.all()) {
    if (problem.severity == Severity::kError) {
      texts.push_back(problem.pointer + ": " + problem.message);
    }
  }
  return texts;
}

KeySet KeysOf(const RowSet& rows) {
  KeySet keys;
  for (const RowSet::Entry& entry : rows.entries()) keys.Add(entry.key);
  return keys;
}

KeySet KeysTold(const Task& task, const std::vector<RowSet>& inputs) {
  std::vector<KeySet> input_keys;
  for (const RowSet& input : inputs) input_keys.push_back(KeysOf(input));
  return task.OutputKeys(input_keys);
}

}  // namespace

std::vector<std::string> ProblemsOf(std::string_view op, std::string_view params,
                                    std::size_t inputs) {
  return ProblemTexts(BuildOne(op, params, inputs).problems);
}

std::vector<std::string> ProblemsOfNodes(std::string_view nodes, std::string_view outputs) {
  return ProblemTexts(Build(nodes, outputs).problems);
}

OneTask::OneTask(std::string_view op, std::string_view params, std::size_t inputs) {
  Built built = BuildOne(op, params, inputs);
  for (const std::string& text : ProblemTexts(built.problems)) FAIL_CHECK(text);
  REQUIRE(built.graph != nullptr);
  graph_ = std::move(built.graph);
  params_ = ParamValues(*graph_->schema);
}

const GraphNode& OneTask::node() const {
  const auto found = std::ranges::find(graph_->nodes, "t", &GraphNode::id);
  RANKD_CHECK(found != graph_->nodes.end());
  return *found;
}

void OneTask::SetParam(std::string_view name, Value value) {
  params_.Set(*graph_->schema->FindParam(name), std::move(value));
}

Result<void> OneTask::Bind(std::vector<BoundExpression>& bound) const {
  EvalEnv env;
  env.params = &params_;
  env.schema = graph_->schema.get();
  for (const ExpressionRef& expression : node().expressions) {
    RANKD_TRY(BoundExpression one, rankd::Bind(expression, env));
    bound.push_back(std::move(one));
  }
  return {};
}

Result<RowSet> OneTask::Run(std::vector<RowSet> inputs, StopToken stop) {
  std::vector<BoundExpression> bound;
  RANKD_TRY(Bind(bound));
  NodeContext context;
  context.inputs = inputs;
  context.schema = graph_->schema.get();
  context.expressions = bound;
  context.stop = stop;
  Result<RowSet> result = cpu().Run(context);
  if (result) CHECK(KeysTold(task(), inputs) == KeysOf(*result));
  return result;
}

std::string OneTask::Text(std::vector<RowSet> inputs) { return Show(Run(std::move(inputs))); }

AsyncRun::AsyncRun(OneTask& task, std::vector<RowSet> inputs, KvClient& client, FakeLoop& loop,
                   std::int64_t user_id)
    : task_(&task), inputs_(std::move(inputs)), client_(&client) {
  REQUIRE(task.Bind(bound_).has_value());
  context_.inputs = inputs_;
  context_.schema = task.graph_->schema.get();
  context_.expressions = bound_;
  context_.user_id = user_id;
  context_.loop = &loop;
  context_.stop_source = &stop_;
  context_.clients = std::span(&client_, 1);
  context_.kv_observer = this;
  co_.emplace(task.async().Run(context_));
  done_ = co_->Start(*this);
}

AsyncRun::~AsyncRun() {
  stop_.Stop();
  RANKD_CHECK(done_);
}

Result<RowSet> AsyncRun::Take() {
  REQUIRE(done_);
  Result<RowSet> result = co_->TakeResult();
  if (result) CHECK(KeysTold(task_->task(), inputs_) == KeysOf(*result));
  const bool many = (!inputs_.empty() && inputs_[0].rows() > kListsPerPipeline) || !result ||
                    result->rows() > kHashesPerPipeline;
  if (!many) CHECK(round_trips_ <= task_->async().RoundTrips());
  return result;
}

std::string AsyncRun::Text() { return Show(Take()); }

std::string Show(const Result<RowSet>& result) {
  if (result) return Show(*result);
  return std::string(CodeName(result.error().code)) + ": " + result.error().message;
}

}  // namespace rankd
