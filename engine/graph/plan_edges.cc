#include "engine/graph/plan_edges.h"

#include <optional>
#include <string_view>

#include "engine/base/json.h"
#include "engine/graph/node_table.h"
#include "engine/graph/suggestions.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

std::vector<std::string_view> NodeIds(const Plan& plan) {
  std::vector<std::string_view> ids;
  ids.reserve(plan.nodes.size());
  for (const PlanNode& node : plan.nodes) {
    if (!node.id.empty()) ids.push_back(node.id);
  }
  return ids;
}

class Resolver {
 public:
  Resolver(const Plan& plan, Problems& problems)
      : problems_(problems),
        table_(plan.nodes, problems),
        suggestions_([&plan] { return NodeIds(plan); }) {
    edges_.begin.reserve(plan.nodes.size() + 1);
    edges_.begin.push_back(0);
    edges_.count_is_right.reserve(plan.nodes.size());
  }

  void AddNode(const PlanNode& node, const TaskSpec* spec) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      edges_.inputs.push_back(
          Resolve(node.inputs[i], "an input", [&] { return InputPointer(node, i); }));
    }
    if (spec != nullptr && spec->takes_rhs) AddRhs(node);
    const std::size_t count = edges_.inputs.size() - edges_.begin.back();
    edges_.begin.push_back(static_cast<std::uint32_t>(edges_.inputs.size()));
    edges_.count_is_right.push_back(spec != nullptr && CheckCount(node, *spec, count));
  }

  void AddOutput(std::string_view id, std::size_t index) {
    edges_.outputs.push_back(
        Resolve(id, "an output", [&] { return JsonPointer("/outputs", index); }));
  }

  PlanEdges Finish() && { return std::move(edges_); }

 private:
  template <typename Pointer>
  std::uint32_t Resolve(std::string_view id, std::string_view what, Pointer pointer) {
    if (!id.empty()) {  // else it is a problem already
      if (const std::optional<std::uint32_t> position = table_.Find(id)) return *position;
      problems_.Add(pointer(), std::string(what) + " names no node: " + JsonQuoted(id) +
                                   suggestions_.DidYouMean(id));
    }
    edges_.all_resolved = false;
    return PlanEdges::kUnresolved;
  }

  void AddRhs(const PlanNode& node) {
    const Json* rhs = node.params == nullptr ? nullptr : node.params->Find("rhs");
    if (rhs == nullptr || rhs->is_null()) return;
    const std::string_view id = rhs->AsString().value_or(std::string_view());
    const std::size_t place = node.inputs.size();
    if (id.empty()) {
      problems_.Add(InputPointer(node, place), "\"rhs\" must be a node id, not " + rhs->Describe());
    }
    edges_.inputs.push_back(Resolve(id, "\"rhs\"", [&] { return InputPointer(node, place); }));
  }

  bool CheckCount(const PlanNode& node, const TaskSpec& spec, std::size_t count) {
    if (node.inputs_broken) {
      edges_.all_resolved = false;
      return false;
    }
    if (spec.takes_rhs && node.params_broken) return false;
    if (count >= spec.min_inputs && count <= spec.max_inputs) return true;
    std::string wanted = std::to_string(spec.min_inputs);
    if (spec.max_inputs == kAnyNumberOfInputs) {
      wanted += " or more";
    } else if (spec.max_inputs != spec.min_inputs) {
      wanted += spec.max_inputs == spec.min_inputs + 1 ? " or " : " to ";
      wanted += std::to_string(spec.max_inputs);
    }
    const bool one = spec.max_inputs == 1;
    problems_.Add(JsonPointer("/nodes", node.index) + "/inputs",
                  "the op " + JsonQuoted(spec.op) + " takes " + wanted +
                      (one ? " input" : " inputs") + ", not " + std::to_string(count));
    return false;
  }

  Problems& problems_;
  NodeTable table_;
  Suggestions suggestions_;
  PlanEdges edges_;
};

}  // namespace

PlanEdges ResolveEdges(const Plan& plan, std::span<const TaskSpec* const> specs,
                       Problems& problems) {
  Resolver resolver(plan, problems);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) resolver.AddNode(plan.nodes[i], specs[i]);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    resolver.AddOutput(plan.outputs[i], plan.output_indices[i]);
  }
  return std::move(resolver).Finish();
}

std::string InputPointer(const PlanNode& node, std::size_t input) {
  const std::string pointer = JsonPointer("/nodes", node.index);
  if (input >= node.inputs.size()) return pointer + "/params/rhs";
  return JsonPointer(pointer + "/inputs", input);
}

}  // namespace rankd
