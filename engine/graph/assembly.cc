#include "engine/graph/assembly.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "engine/base/check.h"
#include "engine/graph/leading_rows.h"
#include "engine/graph/plan_order.h"

namespace rankd {
namespace {

GraphNode MakeNode(const PlanNode& written, CompiledNode& compiled) {
  GraphNode node;
  node.id = written.id;
  node.op = written.op;
  node.trace = written.trace;
  node.task = std::move(compiled.task);
  node.async_task = dynamic_cast<const AsyncTask*>(node.task.get());
  node.cpu_task = dynamic_cast<const CpuTask*>(node.task.get());
  node.region = dynamic_cast<const Region*>(node.task.get());
  RANKD_CHECK(int{node.async_task != nullptr} + int{node.cpu_task != nullptr} +
                  int{node.region != nullptr} ==
              1);
  node.expressions = std::move(compiled.expressions);
  if (std::ranges::all_of(node.expressions,
                          [](const ExpressionRef& one) { return IsBoundOnce(*one); })) {
    for (const ExpressionRef& one : node.expressions) node.bound.push_back(*Bind(one, EvalEnv()));
  }
  node.endpoints = std::move(compiled.endpoints);
  node.effect = written.effect;
  if (written.timeout_ms) node.timeout = std::chrono::milliseconds(*written.timeout_ms);
  node.retry = written.retry;
  node.on_error = written.on_error;
  return node;
}

/// Edges among nodes and from imports.
Topology MakeTopology(const Graph& graph) {
  Topology topology;
  const std::size_t nodes = graph.nodes.size();
  const std::size_t count = nodes + graph.imports.size();
  const auto mark_lazy = [&](std::size_t i) {
    topology.lazy.resize(count);
    topology.lazy[i] = true;
    ++topology.lazy_count;
  };
  topology.required.reserve(count);
  topology.successor_begin.assign(count + 1, 0);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const GraphNode& node = graph.nodes[i];
    topology.required.push_back(static_cast<std::uint32_t>(node.inputs.size()) +
                                (node.lazy ? 1 : 0));
    if (node.lazy) mark_lazy(i);
    if (topology.required.back() == 0) topology.sources.push_back(NodeId{i});
    for (const NodeId input : node.inputs) ++topology.successor_begin[Index(input) + 1];
  }
  topology.required.resize(count, 1);
  for (std::size_t i = 0; i < graph.imports.size(); ++i) {
    if (graph.imports[i].lazy) mark_lazy(nodes + i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    topology.successor_begin[i + 1] += topology.successor_begin[i];
  }
  topology.successors.resize(topology.successor_begin[count]);
  std::vector<std::uint32_t> next(topology.successor_begin.begin(),
                                  topology.successor_begin.end() - 1);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    for (const NodeId input : graph.nodes[i].inputs) {
      topology.successors[next[Index(input)]++] = NodeId{i};
    }
  }
  return topology;
}

std::vector<KeyId> AlphabeticalKeys(const Schema& schema) {
  std::vector<KeyId> keys;
  for (std::uint32_t i = 1; i < schema.key_count(); ++i) keys.push_back(KeyId{i});
  std::ranges::sort(keys, {}, [&](KeyId key) { return std::string_view(schema.key(key).name); });
  return keys;
}

/// Calls `use(position)` for each node `levels` bodies outwards that something kept in `compiled`
/// names.
template <typename Use>
void ForEachCapture(const CompiledBody& compiled, std::uint32_t levels, Use&& use) {
  const PlanEdges& edges = *compiled.edges;
  const auto look = [&](std::uint32_t input) {
    if (edges.IsNode(input) || input == PlanEdges::kUnresolved) return;
    const Import& import = edges.imports[input - edges.node_count()];
    if (import.kind == ImportKind::kNode && import.levels == levels) {
      use(static_cast<std::uint32_t>(import.node));
    }
  };
  for (std::uint32_t node = 0; node < edges.node_count(); ++node) {
    if (!compiled.needed[node]) continue;
    for (const std::uint32_t input : edges.InputsOf(node)) look(input);
  }
  for (const std::uint32_t output : edges.outputs) look(output);
  for (std::size_t i = 0; i < edges.bodies.size(); ++i) {
    if (!compiled.needed[edges.bodies[i].node]) continue;
    for (const CompiledBody& inside : compiled.bodies[i]) ForEachCapture(inside, levels + 1, use);
  }
}

/// Makes graphs of a plan and its bodies.
class Assembler {
 public:
  Assembler(const Plan& plan, std::shared_ptr<const Schema> schema)
      : plan_(plan), schema_(std::move(schema)) {}

  std::shared_ptr<Graph> Assemble(CompiledBody& compiled) {
    auto graph = std::make_shared<Graph>();
    graph->name = plan_.name;
    graph->schema = schema_;
    const PlanEdges& edges = *compiled.edges;
    std::vector<NodeId>& numbers = numbers_.emplace_back(edges.node_count());
    Number(compiled, numbers);
    graph->nodes.reserve(static_cast<std::size_t>(std::ranges::count(compiled.needed, true)));
    std::vector<std::uint32_t> import_numbers(edges.imports.size(), PlanEdges::kUnresolved);
    for (const std::uint32_t position : compiled.order) {
      if (!compiled.needed[position]) continue;
      AddNode(compiled, position, *graph);
    }
    // Inputs after all nodes: their number is that of the first import.
    for (const std::uint32_t position : compiled.order) {
      if (!compiled.needed[position]) continue;
      GraphNode& node = graph->nodes[Index(numbers_.back()[position])];
      for (const std::uint32_t input : edges.InputsOf(position)) {
        node.inputs.push_back(Use(edges, input, node.lazy, import_numbers, *graph));
      }
    }
    for (const std::uint32_t output : edges.outputs) {
      graph->outputs.push_back(Use(edges, output, false, import_numbers, *graph));
    }
    KeepPruned(compiled, numbers_.back(), *graph);
    graph->topology = MakeTopology(*graph);
    UseLeadingRows(*graph);
    graph->layout = MakeRunLayout(*graph);
    numbers_.pop_back();
    return graph;
  }

 private:
  static void Number(const CompiledBody& compiled, std::vector<NodeId>& numbers) {
    std::uint32_t next = 0;
    for (const std::uint32_t position : compiled.order) {
      if (compiled.needed[position]) numbers[position] = NodeId{next++};
    }
  }

  void AddNode(CompiledBody& compiled, std::uint32_t position, Graph& graph) {
    CompiledNode& parts = compiled.nodes[position];
    graph.needs_user_id = graph.needs_user_id || parts.needs_user_id;
    GraphNode node = MakeNode(compiled.body->nodes[position], parts);
    node.lazy = !compiled.eager[position];
    node.captured = compiled.captured[position];
    node.consumers = node.captured ? 1 : 0;
    if (parts.called != nullptr) node.bodies.push_back(std::move(parts.called));
    if (const NodeBodies* bodies = compiled.edges->BodiesOf(position)) {
      for (CompiledBody& inside :
           compiled.bodies[static_cast<std::size_t>(bodies - compiled.edges->bodies.data())]) {
        node.bodies.push_back(Assemble(inside));
      }
    }
    for (const std::shared_ptr<const Graph>& inside : node.bodies) {
      graph.needs_user_id = graph.needs_user_id || inside->needs_user_id;
    }
    graph.nodes.push_back(std::move(node));
  }

  /// The number of what an input or output names, which gets a consumer more. `lazy`: so is the
  /// consumer.
  NodeId Use(const PlanEdges& edges, std::uint32_t named, bool lazy,
             std::vector<std::uint32_t>& import_numbers, Graph& graph) {
    if (edges.IsNode(named)) {
      const NodeId number = numbers_.back()[named];
      ++graph.nodes[Index(number)].consumers;
      return number;
    }
    const std::size_t index = named - edges.node_count();
    if (import_numbers[index] == PlanEdges::kUnresolved) {
      import_numbers[index] = static_cast<std::uint32_t>(graph.imports.size());
      Import import = edges.imports[index];
      if (import.kind == ImportKind::kNode) {
        import.node = numbers_[numbers_.size() - 1 - import.levels][Index(import.node)];
      }
      // What comes with the body is always there.
      graph.imports.push_back({import, 0, import.kind == ImportKind::kNode});
    }
    GraphImport& import = graph.imports[import_numbers[index]];
    ++import.consumers;
    import.lazy = import.lazy && lazy;
    return NodeId{static_cast<std::uint32_t>(graph.nodes.size()) + import_numbers[index]};
  }

  /// Numbers the nodes that are not kept on from those that are.
  static void KeepPruned(const CompiledBody& compiled, std::vector<NodeId>& numbers, Graph& graph) {
    for (const std::uint32_t position : compiled.order) {
      if (compiled.needed[position]) continue;
      const PlanNode& written = compiled.body->nodes[position];
      numbers[position] =
          NodeId{static_cast<std::uint32_t>(graph.nodes.size() + graph.pruned.size())};
      PrunedNode& node = graph.pruned.emplace_back();
      node.id = written.id;
      node.op = written.op;
      for (const std::uint32_t input : compiled.edges->InputsOf(position)) {
        if (compiled.edges->IsNode(input)) {
          node.inputs.push_back(static_cast<std::uint32_t>(numbers[input]));
        }
      }
    }
  }

  const Plan& plan_;
  std::shared_ptr<const Schema> schema_;
  std::vector<std::vector<NodeId>> numbers_;  ///< By position, of each scope from the plan in.
};

}  // namespace

void FindNeeded(CompiledBody& compiled) {
  const PlanEdges& edges = *compiled.edges;
  for (std::vector<CompiledBody>& bodies : compiled.bodies) {
    for (CompiledBody& inside : bodies) FindNeeded(inside);
  }
  std::vector<std::uint32_t> roots = edges.outputs;
  for (std::uint32_t i = 0; i < edges.node_count(); ++i) {
    if (compiled.body->nodes[i].effect) roots.push_back(i);
  }
  compiled.eager = NodesBehind(edges, roots, nullptr);
  compiled.captured.assign(edges.node_count(), false);
  compiled.needed = NodesBehind(
      edges, std::move(roots), [&](std::uint32_t node, std::vector<std::uint32_t>& dependencies) {
        const NodeBodies* bodies = edges.BodiesOf(node);
        if (bodies == nullptr) return;
        const auto index = static_cast<std::size_t>(bodies - edges.bodies.data());
        for (const CompiledBody& inside : compiled.bodies[index]) {
          ForEachCapture(inside, 1, [&](std::uint32_t position) {
            compiled.captured[position] = true;
            dependencies.push_back(position);
          });
        }
      });
}

std::shared_ptr<const Graph> AssembleGraph(const Plan& plan, std::shared_ptr<const Schema> schema,
                                           CompiledBody& compiled) {
  std::vector<KeyId> keys = AlphabeticalKeys(*schema);
  std::shared_ptr<Graph> graph = Assembler(plan, std::move(schema)).Assemble(compiled);
  graph->alphabetical_keys = std::move(keys);
  return graph;
}

}  // namespace rankd
