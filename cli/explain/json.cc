#include "cli/explain/formats.h"
#include "cli/json_writer.h"

namespace rankd {
namespace {

std::string_view RunsOnName(RunsOn runs_on) {
  switch (runs_on) {
    case RunsOn::kCoroutine:
      return "coroutine";
    case RunsOn::kInline:
      return "inline";
    case RunsOn::kPool:
      return "pool";
    case RunsOn::kInlineOrPool:
      return "inline_or_pool";
  }
  return "";
}

void SizeField(JsonWriter& json, std::string_view name, std::size_t number) {
  json.IntField(name, static_cast<std::int64_t>(number));
}

void FloatField(JsonWriter& json, std::string_view name, double number) {
  json.Name(name);
  json.Any(number);
}

void NullableField(JsonWriter& json, std::string_view name, bool present, std::int64_t number) {
  json.Name(name);
  if (present) {
    json.Int(number);
  } else {
    json.Null();
  }
}

template <typename Range, typename Text>
void StringsField(JsonWriter& json, std::string_view name, const Range& range, Text text) {
  json.Name(name);
  json.BeginArray();
  for (const auto& element : range) json.String(text(element));
  json.EndArray();
}

std::string_view RoleName(NodeRole role) {
  switch (role) {
    case NodeRole::kNode:
      return "node";
    case NodeRole::kHead:
      return "head";
    case NodeRole::kJoin:
      return "join";
    case NodeRole::kInput:
      return "input";
  }
  return "";
}

std::string_view KindName(const NodeExplanation& node) {
  if (node.role != NodeRole::kNode) return "control";
  return node.runs_on == RunsOn::kCoroutine ? "io" : "cpu";
}

class Writer {
 public:
  explicit Writer(const GraphExplanation& graph) : graph_(graph) {}

  std::string Write(CpuMode cpu) {
    json_.BeginObject();
    json_.StringField("plan", graph_.plan);
    json_.StringField("cpu", CpuModeName(cpu));
    json_.BoolField("needs_user_id", graph_.needs_user_id);
    AppendArray("nodes", graph_.nodes, [this](const auto& node) { AppendNode(node); });
    AppendArray("bodies", graph_.bodies, [this](const auto& body) { AppendBody(body); });
    AppendEdges();
    IdsField("outputs", graph_.outputs);
    json_.Name("chains");
    json_.BeginArray();
    for (const std::vector<std::uint32_t>& chain : graph_.chains) AppendIds(chain);
    json_.EndArray();
    AppendPruned();
    AppendLongestPath();
    AppendArray("endpoints", graph_.endpoints,
                [this](const auto& endpoint) { AppendEndpoint(endpoint); });
    json_.EndObject();
    return json_.Line();
  }

 private:
  template <typename Range, typename Append>
  void AppendArray(std::string_view name, const Range& range, Append append) {
    json_.Name(name);
    json_.BeginArray();
    for (const auto& element : range) {
      json_.BeginObject();
      append(element);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void AppendIds(const std::vector<std::uint32_t>& nodes) {
    json_.BeginArray();
    for (const std::uint32_t node : nodes) json_.String(graph_.IdOf(node));
    json_.EndArray();
  }

  void IdsField(std::string_view name, const std::vector<std::uint32_t>& nodes) {
    json_.Name(name);
    AppendIds(nodes);
  }

  void AppendNode(const NodeExplanation& node) {
    json_.StringField("node", node.id);
    json_.StringField("op", node.op);
    json_.StringField("kind", KindName(node));
    json_.StringField("role", RoleName(node.role));
    json_.Name("body");
    AppendBodyPath(node.body);
    json_.StringField("runs_on", RunsOnName(node.runs_on));
    NullableField(json_, "pool_from_rows", node.runs_on == RunsOn::kInlineOrPool,
                  static_cast<std::int64_t>(node.pool_from_rows));
    StringsField(json_, "endpoints", node.endpoints,
                 [this](std::uint32_t i) { return graph_.endpoints[i].name; });
    SizeField(json_, "round_trips", node.round_trips);
    FloatField(json_, "fixed_ns", node.fixed_ns);
    FloatField(json_, "ns_per_row", node.ns_per_row);
    NullableField(json_, "timeout_ms", node.timeout.has_value(),
                  node.timeout ? node.timeout->count() : 0);
    StringsField(json_, "writes", node.writes, [](const std::string& key) { return key; });
    SizeField(json_, "required", node.required);
    json_.BoolField("per_item", node.per_item);
    json_.BoolField("lazy", node.lazy);
    NullableField(json_, "chain", node.chain.has_value(), node.chain.value_or(0));
    json_.BoolField("effect", node.effect);
    AppendRetry(node.retry);
    json_.StringField("on_error", OnErrorName(node.on_error));
    StringsField(json_, "details", node.details, [](const std::string& text) { return text; });
    json_.Name("trace");
    if (node.trace.empty()) {
      json_.Null();
    } else {
      json_.String(node.trace);
    }
  }

  void AppendBodyPath(std::optional<std::uint32_t> body) {
    if (body) {
      json_.String(graph_.bodies[*body].path);
    } else {
      json_.Null();
    }
  }

  void AppendRetry(const std::optional<RetryPolicy>& retry) {
    json_.Name("retry");
    if (!retry) {
      json_.Null();
      return;
    }
    json_.BeginObject();
    json_.IntField("max_attempts", retry->max_attempts);
    json_.IntField("backoff_ms", retry->backoff.count());
    FloatField(json_, "multiplier", retry->multiplier);
    json_.IntField("max_backoff_ms", retry->max_backoff.count());
    FloatField(json_, "jitter", retry->jitter);
    json_.Name("on");
    json_.BeginArray();
    for (std::size_t code = 0; code < kErrorCodeCount; ++code) {
      if (retry->on.test(code)) json_.String(CodeName(static_cast<ErrorCode>(code)));
    }
    json_.EndArray();
    json_.EndObject();
  }

  void AppendBody(const BodyExplanation& body) {
    json_.StringField("path", body.path);
    json_.StringField("head", graph_.IdOf(body.head));
    json_.Name("body");
    AppendBodyPath(body.outer);
    json_.Name("plan");
    if (body.plan.empty()) {
      json_.Null();
    } else {
      json_.String(body.plan);
    }
  }

  void AppendEdges() {
    json_.Name("edges");
    json_.BeginArray();
    for (const EdgeExplanation& edge : graph_.edges) {
      if (edge.to >= graph_.nodes.size()) break;  // those into pruned nodes come last
      json_.BeginObject();
      json_.StringField("from", graph_.IdOf(edge.from));
      json_.StringField("to", graph_.IdOf(edge.to));
      json_.StringField("kind", EdgeKindName(edge.kind));
      json_.EndObject();
    }
    json_.EndArray();
  }

  void AppendPruned() {
    std::size_t edge = 0;
    while (edge < graph_.edges.size() && graph_.edges[edge].to < graph_.nodes.size()) ++edge;
    std::size_t number = graph_.nodes.size();
    AppendArray("pruned", graph_.pruned, [&](const PrunedExplanation& node) {
      json_.StringField("node", node.id);
      json_.StringField("op", node.op);
      json_.Name("inputs");
      json_.BeginArray();
      for (; edge < graph_.edges.size() && graph_.edges[edge].to == number; ++edge) {
        json_.String(graph_.IdOf(graph_.edges[edge].from));
      }
      json_.EndArray();
      json_.StringField("reason", "no output needs it");
      ++number;
    });
  }

  void AppendLongestPath() {
    json_.Name("longest_path");
    json_.BeginObject();
    IdsField("nodes", graph_.longest_path.nodes);
    SizeField(json_, "round_trips", graph_.longest_path.round_trips);
    FloatField(json_, "cpu_ns", graph_.longest_path.cpu_ns);
    json_.EndObject();
  }

  void AppendEndpoint(const EndpointExplanation& endpoint) {
    json_.StringField("name", endpoint.name);
    json_.StringField("kind", endpoint.kind);
    json_.StringField("address", endpoint.address);
  }

  const GraphExplanation& graph_;
  JsonWriter json_;
};

}  // namespace

std::string ExplainJson(const GraphExplanation& graph, CpuMode cpu) {
  return Writer(graph).Write(cpu);
}

}  // namespace rankd
