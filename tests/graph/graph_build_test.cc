// Plans that are sound, and the graphs they become.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "engine/graph/graph.h"
#include "tests/graph/fake_tasks.h"
#include "tests/plan/expect_problems.h"

namespace rankd {
namespace {

const GraphNode& NodeOf(const Graph& graph, std::string_view id) {
  const auto found = std::ranges::find(graph.nodes, id, &GraphNode::id);
  REQUIRE(found != graph.nodes.end());
  return *found;
}

std::vector<std::string> PrunedIds(const Graph& graph) {
  std::vector<std::string> ids;
  for (const PrunedNode& node : graph.pruned) ids.push_back(node.id);
  return ids;
}

TEST_CASE("a graph holds the nodes that are needed, with all that a run wants to know") {
  const auto graph = MustBuild(PlanJson(
      R"({"node_id":"join","op":"test::pair","inputs":["left"],"params":{"rhs":"right","select":["n"]},"timeout_ms":250},
         {"node_id":"left","op":"source","params":{"count":3,"trace":"the left"}},
         {"node_id":"right","op":"core::fetch","params":{"endpoint":"redis_default","fields":["n"]},"timeout_ms":0},
         {"node_id":"both","op":"merge","inputs":["left","left"]})",
      R"("join","left","join")"));
  CHECK(graph->name == "p");
  REQUIRE(graph->nodes.size() == 3);
  CHECK(PrunedIds(*graph) == std::vector<std::string>{"both"});
  const GraphNode& join = NodeOf(*graph, "join");
  CHECK(join.op == "pair");
  CHECK(join.cpu_task != nullptr);
  CHECK(join.async_task == nullptr);
  CHECK(join.timeout == std::chrono::milliseconds(250));
  REQUIRE(join.inputs.size() == 2);
  CHECK(graph->nodes[Index(join.inputs[0])].id == "left");
  CHECK(graph->nodes[Index(join.inputs[1])].id == "right");
  CHECK(join.consumers == 2);
  const GraphNode& left = NodeOf(*graph, "left");
  CHECK(left.trace == "the left");
  CHECK(!left.timeout);
  CHECK(left.consumers == 2);
  CHECK(left.endpoints.empty());
  const GraphNode& right = NodeOf(*graph, "right");
  CHECK(right.async_task != nullptr);
  CHECK(right.cpu_task == nullptr);
  CHECK(right.timeout == std::chrono::milliseconds(0));
  CHECK(right.endpoints == std::vector<EndpointId>{EndpointId{0}});
  REQUIRE(graph->outputs.size() == 3);
  CHECK(graph->nodes[Index(graph->outputs[0])].id == "join");
  CHECK(graph->nodes[Index(graph->outputs[1])].id == "left");
  CHECK(graph->outputs[2] == graph->outputs[0]);
  CHECK(graph->needs_user_id);
}

TEST_CASE("an input named twice counts twice") {
  const auto graph = MustBuild(PlanJson(
      R"({"node_id":"s","op":"any"},{"node_id":"m","op":"merge","inputs":["s","s"]})", R"("m")"));
  CHECK(graph->topology.required == std::vector<std::uint32_t>{0, 2});
  CHECK(graph->topology.SuccessorsOf(NodeId{0}).size() == 2);
  CHECK(graph->nodes[0].consumers == 2);
}

TEST_CASE("only nodes that run make a plan need a user_id") {
  const std::string_view nodes =
      R"({"node_id":"s","op":"any"},{"node_id":"u","op":"source","params":{"count":1,"user":true}})";
  CHECK(!MustBuild(PlanJson(nodes, R"("s")"))->needs_user_id);
  CHECK(MustBuild(PlanJson(nodes, R"("s","u")"))->needs_user_id);
}

TEST_CASE("an effect node runs with all it needs, though no output does") {
  Problems problems;
  const auto graph = Build(PlanJson(R"({"node_id":"s","op":"any"},{"node_id":"x","op":"any"},
                  {"node_id":"e","op":"pass","inputs":["x"],"effect":true},
                  {"node_id":"after","op":"pass","inputs":["e"]},
                  {"node_id":"no","op":"any","effect":false})",
                                    R"("s")"),
                           problems);
  REQUIRE(graph);
  CHECK(graph->nodes.size() == 3);
  CHECK(NodeOf(*graph, "e").consumers == 0);
  CHECK(NodeOf(*graph, "e").effect);
  CHECK(!NodeOf(*graph, "x").effect);
  CHECK(PrunedIds(*graph) == std::vector<std::string>{"after", "no"});
  CheckErrors(problems, {});
  CheckWarnings(problems, {{"/nodes/3", "node \"after\" is needed by no output and will not run"},
                           {"/nodes/4", "node \"no\""}});
}

TEST_CASE("pruned nodes keep their ops and their edges, from nodes that run and from each other") {
  const auto graph = MustBuild(PlanJson(
      R"({"node_id":"p2","op":"merge","inputs":["p1","s","p1"]},{"node_id":"s","op":"any"},
         {"node_id":"p1","op":"core::pass","inputs":["t"]},{"node_id":"t","op":"pass","inputs":["s"]})",
      R"("t")"));
  REQUIRE(graph->nodes.size() == 2);
  CHECK(PrunedIds(*graph) == std::vector<std::string>{"p1", "p2"});
  CHECK(graph->nodes[0].id == "s");
  CHECK(graph->pruned[0].op == "pass");
  CHECK(graph->pruned[0].inputs == std::vector<std::uint32_t>{1});
  CHECK(graph->pruned[1].op == "merge");
  CHECK(graph->pruned[1].inputs == std::vector<std::uint32_t>{2, 0, 2});
  CHECK(graph->nodes[0].consumers == 1);
}

TEST_CASE("nothing is said of pruned nodes where a name is misspelt") {
  Problems problems;
  Build(PlanJson(R"({"node_id":"s","op":"any"},{"node_id":"t","op":"pass","inputs":["s"]})",
                 R"("tt")"),
        problems);
  CheckErrors(problems, {{"/outputs/0", "\"tt\""}});
  CheckWarnings(problems, {});
}

TEST_CASE("keys are listed in alphabetical order, the plan's own among them, id left out") {
  const auto graph = MustBuild(
      PlanJson(R"({"node_id":"s","op":"any"})", R"("s")", R"(,"keys":{"m":"int","Z":"int"})"));
  std::string names;
  for (const KeyId key : graph->alphabetical_keys) names += graph->schema->key(key).name + " ";
  CHECK(names == "Z gone kept m n old score text ");
}

/// A random plan over `any` nodes in a random order of the file.
struct RandomPlan {
  explicit RandomPlan(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const std::size_t count = 1 + below(30);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::size_t>& of = inputs.emplace_back();
      for (std::size_t k = i == 0 ? 0 : below(4); k-- > 0;) of.push_back(below(i));
      effects.push_back(below(10) == 0);
      file_order.push_back(i);
    }
    for (std::size_t k = 1 + below(3); k-- > 0;) outputs.push_back(below(count));
    std::ranges::shuffle(file_order, random);
  }

  std::string Json() const {
    std::string nodes;
    for (const std::size_t i : file_order) {
      if (!nodes.empty()) nodes += ",";
      nodes += R"({"node_id":"n)" + std::to_string(i) + R"(","op":"any","effect":)" +
               (effects[i] ? "true" : "false") + R"(,"inputs":[)" + List(inputs[i]) + "]}";
    }
    return PlanJson(nodes, List(outputs));
  }

  /// The nodes that must run, by plain repetition.
  std::set<std::size_t> Needed() const {
    std::set<std::size_t> needed(outputs.begin(), outputs.end());
    for (std::size_t i = inputs.size(); i-- > 0;) {
      if (effects[i]) needed.insert(i);
      if (needed.contains(i)) needed.insert(inputs[i].begin(), inputs[i].end());
    }
    return needed;
  }

  static std::string List(const std::vector<std::size_t>& numbers) {
    std::string list;
    for (const std::size_t number : numbers) {
      if (!list.empty()) list += ",";
      list += "\"n" + std::to_string(number) + "\"";
    }
    return list;
  }

  std::vector<std::vector<std::size_t>> inputs;  ///< All from lower numbers.
  std::vector<bool> effects;
  std::vector<std::size_t> outputs;
  std::vector<std::size_t> file_order;
};

void CheckTopology(const Graph& graph) {
  const Topology& topology = graph.topology;
  REQUIRE(topology.node_count() == graph.nodes.size());
  std::map<std::pair<NodeId, NodeId>, int> edges;
  std::vector<NodeId> sources;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    CHECK(topology.required[i] == graph.nodes[i].inputs.size());
    if (graph.nodes[i].inputs.empty()) sources.push_back(NodeId{i});
    for (const NodeId input : graph.nodes[i].inputs) {
      CHECK(Index(input) < i);  // topological order
      ++edges[{input, NodeId{i}}];
    }
  }
  CHECK(topology.sources == sources);
  std::vector<std::uint32_t> consumers(graph.nodes.size(), 0);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    for (const NodeId successor : topology.SuccessorsOf(NodeId{i})) {
      --edges[{NodeId{i}, successor}];
      ++consumers[i];
    }
  }
  for (const auto& [edge, left] : edges) CHECK(left == 0);
  for (const NodeId output : graph.outputs) ++consumers[Index(output)];
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    CHECK(graph.nodes[i].consumers == consumers[i]);
  }
}

TEST_CASE("random plans become graphs that a naive reading agrees with") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const RandomPlan plan(seed);
    const auto graph = MustBuild(plan.Json());
    CheckTopology(*graph);
    std::set<std::string> needed;
    for (const std::size_t i : plan.Needed()) needed.insert("n" + std::to_string(i));
    std::set<std::string> kept;
    for (const GraphNode& node : graph->nodes) {
      kept.insert(node.id);
      const std::size_t number = std::stoul(node.id.substr(1));
      REQUIRE(node.inputs.size() == plan.inputs[number].size());
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        CHECK(graph->nodes[Index(node.inputs[k])].id ==
              "n" + std::to_string(plan.inputs[number][k]));
      }
    }
    CHECK(kept == needed);
    CHECK(graph->pruned.size() + kept.size() == plan.inputs.size());
    REQUIRE(graph->outputs.size() == plan.outputs.size());
    for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
      CHECK(graph->nodes[Index(graph->outputs[k])].id == "n" + std::to_string(plan.outputs[k]));
    }
  }
}

TEST_CASE("a random plan with an edge turned round has a cycle that is really there") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    RandomPlan plan(seed);
    const std::size_t from = seed % plan.inputs.size();
    const std::size_t to = plan.inputs[from].empty() ? from : plan.inputs[from][0];
    plan.inputs[to].push_back(from);
    Problems problems;
    CHECK(Build(plan.Json(), problems) == nullptr);
    REQUIRE(problems.has_errors());
    for (const Problem& problem : problems.all()) {
      if (problem.severity == Severity::kWarning) continue;
      REQUIRE(problem.message.starts_with("cycle: "));
      std::string_view rest = std::string_view(problem.message).substr(7);
      std::vector<std::size_t> nodes;
      while (!rest.empty()) {
        const std::size_t arrow = rest.find(" -> ");
        nodes.push_back(std::stoul(std::string(rest.substr(1, arrow))));
        rest = arrow == std::string_view::npos ? "" : rest.substr(arrow + 4);
      }
      REQUIRE(nodes.size() >= 2);
      CHECK(nodes.front() == nodes.back());
      for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const std::vector<std::size_t>& inputs = plan.inputs[nodes[i + 1]];
        CHECK(std::ranges::find(inputs, nodes[i]) != inputs.end());
      }
    }
  }
}

}  // namespace
}  // namespace rankd
