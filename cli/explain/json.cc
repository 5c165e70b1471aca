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

class Writer {
 public:
  explicit Writer(const GraphExplanation& graph) : graph_(graph) {}

  std::string Write(CpuMode cpu) {
    json_.BeginObject();
    json_.StringField("plan", graph_.plan);
    json_.StringField("cpu", CpuModeName(cpu));
    json_.BoolField("needs_user_id", graph_.needs_user_id);
    AppendArray("nodes", graph_.nodes, [this](const auto& node) { AppendNode(node); });
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
    json_.StringField("kind", node.runs_on == RunsOn::kCoroutine ? "io" : "cpu");
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
    NullableField(json_, "chain", node.chain.has_value(), node.chain.value_or(0));
    json_.BoolField("effect", node.effect);
    json_.Name("trace");
    if (node.trace.empty()) {
      json_.Null();
    } else {
      json_.String(node.trace);
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
