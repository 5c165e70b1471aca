// Plans over the built-in tasks, explained, and short words for what was found.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/graph/explain.h"
#include "engine/plan/registry.h"
#include "tasks/builtin.h"
#include "tests/graph/fake_tasks.h"
#include "tests/plan/expect_problems.h"

namespace rankd {

inline EndpointTable Endpoints() {
  EndpointSpec cache;
  cache.name = "cache";
  cache.endpoint_id = "ep_1";
  cache.host = "::1";
  cache.db = 3;
  EndpointSpec socket;
  socket.name = "socket";
  socket.unix_socket = "/run/redis.sock";
  socket.db = 2;
  socket.password = "secret";
  EndpointSpec memory;
  memory.name = "memory";
  memory.kind = EndpointKind::kMemory;
  memory.data = "data.json";
  return EndpointTable({cache, socket, memory});
}

struct Explained {
  std::shared_ptr<const Graph> graph;
  GraphExplanation explanation;

  const NodeExplanation& Node(std::string_view id) const {
    const auto found = std::ranges::find(explanation.nodes, id, &NodeExplanation::id);
    REQUIRE(found != explanation.nodes.end());
    return *found;
  }
  std::string Ids(const std::vector<std::uint32_t>& nodes) const {
    std::string text;
    for (const std::uint32_t node : nodes) text += explanation.IdOf(node) + " ";
    return text;
  }
  /// "a b |c d |"
  std::string Chains() const {
    std::string text;
    for (const auto& chain : explanation.chains) text += Ids(chain) + "|";
    return text;
  }
  std::string Edges() const {
    std::string text;
    for (const EdgeExplanation& edge : explanation.edges) {
      text += explanation.IdOf(edge.from) + ">" + explanation.IdOf(edge.to);
      if (edge.kind != EdgeKind::kForward) text += ":" + std::string(EdgeKindName(edge.kind));
      text += " ";
    }
    return text;
  }
  /// "a=0 b=1 b[end]=1/item "
  std::string Required() const {
    std::string text;
    for (const NodeExplanation& node : explanation.nodes) {
      text += node.id + "=" + std::to_string(node.required) + (node.per_item ? "/item " : " ");
    }
    return text;
  }
  /// What the counters must agree with, whatever the plan.
  void CheckCounters() const {
    std::vector<std::uint32_t> into(explanation.nodes.size(), 0);
    for (const EdgeExplanation& edge : explanation.edges) {
      if (edge.to >= explanation.nodes.size()) continue;
      if (edge.kind == EdgeKind::kBack) {
        CHECK(edge.from > edge.to);
        continue;
      }
      CHECK(edge.from < edge.to);
      ++into[edge.to];
    }
    for (std::uint32_t i = 0; i < explanation.nodes.size(); ++i) {
      const NodeExplanation& node = explanation.nodes[i];
      CAPTURE(node.id);
      if (node.id.ends_with("[end]")) {
        CHECK(node.required == 1);
        CHECK(into[i] >= 1);
      } else {
        CHECK(node.required == into[i] + (node.lazy ? 1 : 0));
      }
    }
  }
};

/// Plans by name, as JSON texts.
class Callable final : public PlanSource {
 public:
  std::map<std::string, std::string, std::less<>> texts;

  Result<std::unique_ptr<const Plan>> Load(std::string_view name, Problems& problems) override {
    const auto found = texts.find(name);
    if (found == texts.end()) return Fail(ErrorCode::kUnknownPlan, "no such plan");
    return ParsePlan(MustParse(found->second), FakeSchema(), name, problems);
  }
};

inline std::string NamedPlan(std::string_view name, std::string_view nodes,
                             std::string_view outputs) {
  return R"({"schema_version":1,"plan_name":")" + std::string(name) + R"(","nodes":[)" +
         std::string(nodes) + R"(],"outputs":[)" + std::string(outputs) + "]}";
}

/// CPU work is inline up to a thousand estimated nanoseconds, as if that were the policy.
inline Explained ExplainPlan(std::string_view nodes, std::string_view outputs,
                             std::optional<std::chrono::milliseconds> node_timeout = std::nullopt,
                             PlanSource* plans = nullptr) {
  Problems problems;
  const EndpointTable endpoints = Endpoints();
  const auto plan = ParsePlan(MustParse(PlanJson(nodes, outputs)), FakeSchema(), "", problems);
  REQUIRE(plan != nullptr);
  Explained explained;
  explained.graph = BuildGraph(*plan, BuiltinTasks(), endpoints, plans, problems);
  REQUIRE_MESSAGE(explained.graph != nullptr, ShowProblems(problems));
  ExplainScope scope;
  scope.endpoints = &endpoints;
  scope.node_timeout = node_timeout;
  scope.runs_inline = [](const CpuTask& task, std::size_t rows) {
    if (task.placement() != Placement::kByCost) return task.placement() == Placement::kInline;
    return task.cost().Of(rows) <= 1000;
  };
  explained.explanation = Explain(*explained.graph, scope);
  return explained;
}

inline std::string Source(std::string_view id) {
  return R"({"node_id":")" + std::string(id) + R"(","op":"fixed_source","params":{"row_count":3}})";
}

inline std::string Take(std::string_view id, std::string_view input) {
  return R"({"node_id":")" + std::string(id) + R"(","op":"take","params":{"count":2},"inputs":[")" +
         std::string(input) + R"("]})";
}

/// `inputs` with their quotes.
inline std::string Concat(std::string_view id, std::string_view inputs) {
  return R"({"node_id":")" + std::string(id) + R"(","op":"concat","inputs":[)" +
         std::string(inputs) + "]}";
}

/// A node of one input with params; `more` are fields behind them.
inline std::string NodeWith(std::string_view id, std::string_view op, std::string_view input,
                            std::string_view params, std::string_view more = "") {
  return R"({"node_id":")" + std::string(id) + R"(","op":")" + std::string(op) +
         R"(","inputs":[")" + std::string(input) + R"("],"params":{)" + std::string(params) + "}" +
         std::string(more) + "}";
}

}  // namespace rankd
