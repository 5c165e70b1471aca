#include "engine/graph/plan_edges.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/json.h"
#include "engine/graph/node_table.h"
#include "engine/graph/suggestions.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

std::string InputPointer(const PlanBody& body, const PlanNode& node, std::size_t input) {
  const std::string pointer = body.NodePointer(node);
  if (input >= node.inputs.size()) return pointer + "/params/rhs";
  return JsonPointer(pointer + "/inputs", input);
}

/// Resolves the names of one plan or body, and of the bodies inside it.
class Resolver {
 public:
  /// `outer`: of the body around; nullptr for a plan.
  Resolver(const PlanBody& body, const TaskCatalog& catalog, Resolver* outer, Problems& problems)
      : body_(body),
        catalog_(catalog),
        outer_(outer),
        problems_(problems),
        table_(body, problems),
        ops_([this] { return OpNames(); }),
        node_names_([this] { return NamesInReach(); }) {}

  PlanEdges Resolve() && {
    edges_.begin.reserve(body_.nodes.size() + 1);
    edges_.begin.push_back(0);
    edges_.count_is_right.reserve(body_.nodes.size());
    edges_.specs.reserve(body_.nodes.size());
    for (const PlanNode& node : body_.nodes) AddNode(node);
    for (std::size_t i = 0; i < body_.outputs.size(); ++i) {
      edges_.outputs.push_back(ResolveName(body_.outputs[i], "an output", [&] {
        return JsonPointer(body_.pointer + "/outputs", body_.output_indices[i]);
      }));
    }
    AddDependencies();
    return std::move(edges_);
  }

 private:
  std::vector<std::string_view> OpNames() const {
    std::vector<std::string_view> names;
    for (const TaskSpec* spec : catalog_.all()) names.push_back(spec->op);
    return names;
  }

  std::vector<std::string_view> NamesInReach() const {
    std::vector<std::string_view> names;
    bool carry = false;
    for (const Resolver* scope = this; scope != nullptr; scope = scope->outer_) {
      for (const PlanNode& node : scope->body_.nodes) {
        if (!node.id.empty()) names.push_back(node.id);
      }
      carry = carry || scope->body_.has_carry;
    }
    names.push_back("$in");
    if (carry) names.push_back("$carry");
    return names;
  }

  void AddNode(const PlanNode& node) {
    const TaskSpec* spec = node.op.empty() ? nullptr : catalog_.Find(node.op);
    if (spec == nullptr && !node.op.empty()) {
      problems_.Add(body_.NodePointer(node) + "/op",
                    "unknown op " + JsonQuoted(node.op) + ops_.DidYouMean(node.op));
    }
    edges_.specs.push_back(spec);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      edges_.inputs.push_back(
          ResolveName(node.inputs[i], "an input", [&] { return InputPointer(body_, node, i); }));
    }
    if (spec != nullptr && spec->takes_rhs) AddRhs(node);
    const std::size_t count = edges_.inputs.size() - edges_.begin.back();
    edges_.begin.push_back(static_cast<std::uint32_t>(edges_.inputs.size()));
    edges_.count_is_right.push_back(spec != nullptr && CheckCount(node, *spec, count));
    if (!node.bodies.empty()) AddBodies(node);
  }

  void AddBodies(const PlanNode& node) {
    current_ = &edges_.bodies.emplace_back();
    current_->node = static_cast<std::uint32_t>(edges_.begin.size() - 2);
    for (const PlanBody& body : node.bodies) {
      PlanEdges inside = Resolver(body, catalog_, this, problems_).Resolve();
      edges_.all_resolved = edges_.all_resolved && inside.all_resolved;
      current_->bodies.push_back(std::move(inside));
    }
    current_ = nullptr;
  }

  /// A number as in PlanEdges::inputs.
  template <typename Pointer>
  std::uint32_t ResolveName(std::string_view id, std::string_view what, Pointer pointer) {
    if (id.starts_with('$')) return ResolveGiven(id, what, pointer);
    if (!id.empty()) {  // else it is a problem already
      if (const std::optional<std::uint32_t> position = table_.Find(id)) return *position;
      if (const std::optional<Import> capture = FindOutside(id, pointer)) return Number(*capture);
      problems_.Add(pointer(), std::string(what) + " names no node: " + JsonQuoted(id) +
                                   node_names_.DidYouMean(id));
    }
    edges_.all_resolved = false;
    return PlanEdges::kUnresolved;
  }

  template <typename Pointer>
  std::uint32_t ResolveGiven(std::string_view id, std::string_view what, Pointer pointer) {
    // In a plan it is what a node that calls it is given.
    if (id == "$in") return Number(Import{ImportKind::kIn, 0, NodeId{}});
    if (id == "$carry") {
      std::uint32_t levels = 0;
      for (const Resolver* scope = this; scope != nullptr; scope = scope->outer_, ++levels) {
        if (scope->body_.has_carry) return Number(Import{ImportKind::kCarry, levels, NodeId{}});
      }
      problems_.Add(pointer(), std::string(what) +
                                   " is \"$carry\", which is known in the body of a "
                                   "loop only");
    } else {
      problems_.Add(pointer(), std::string(what) + " names nothing that is given: " +
                                   JsonQuoted(id) + node_names_.DidYouMean(id));
    }
    edges_.all_resolved = false;
    return PlanEdges::kUnresolved;
  }

  /// A node of a scope around, which learns of it.
  template <typename Pointer>
  std::optional<Import> FindOutside(std::string_view id, Pointer pointer) const {
    std::uint32_t levels = 1;
    for (Resolver* scope = outer_; scope != nullptr; scope = scope->outer_, ++levels) {
      const std::optional<std::uint32_t> position = scope->table_.Find(id);
      if (!position) continue;
      std::vector<NodeBodies::Capture>& captures = scope->current_->captures;
      if (std::ranges::find(captures, *position, &NodeBodies::Capture::position) ==
          captures.end()) {
        captures.push_back({*position, pointer()});
      }
      return Import{ImportKind::kNode, levels, NodeId{*position}};
    }
    return std::nullopt;
  }

  std::uint32_t Number(const Import& import) {
    const auto found = std::ranges::find(edges_.imports, import);
    const auto index = static_cast<std::size_t>(found - edges_.imports.begin());
    if (found == edges_.imports.end()) edges_.imports.push_back(import);
    return static_cast<std::uint32_t>(body_.nodes.size() + index);
  }

  void AddRhs(const PlanNode& node) {
    const Json* rhs = node.params == nullptr ? nullptr : node.params->Find("rhs");
    if (rhs == nullptr || rhs->is_null()) return;
    const std::string_view id = rhs->AsString().value_or(std::string_view());
    const auto pointer = [&] { return InputPointer(body_, node, node.inputs.size()); };
    if (id.empty()) {
      problems_.Add(pointer(), "\"rhs\" must be a node id, not " + rhs->Describe());
    }
    edges_.inputs.push_back(ResolveName(id, "\"rhs\"", pointer));
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
    problems_.Add(body_.NodePointer(node) + "/inputs", "the op " + JsonQuoted(spec.op) + " takes " +
                                                           wanted + (one ? " input" : " inputs") +
                                                           ", not " + std::to_string(count));
    return false;
  }

  /// Inputs and captures side by side, if there are captures.
  void AddDependencies() {
    const auto has_captures = [](const NodeBodies& bodies) { return !bodies.captures.empty(); };
    if (std::ranges::none_of(edges_.bodies, has_captures)) return;
    std::size_t next = 0;
    edges_.dependency_begin.push_back(0);
    for (std::uint32_t node = 0; node < edges_.node_count(); ++node) {
      const std::span<const std::uint32_t> inputs = edges_.InputsOf(node);
      edges_.dependencies.insert(edges_.dependencies.end(), inputs.begin(), inputs.end());
      if (next < edges_.bodies.size() && edges_.bodies[next].node == node) {
        for (const NodeBodies::Capture& capture : edges_.bodies[next].captures) {
          edges_.dependencies.push_back(capture.position);
        }
        ++next;
      }
      edges_.dependency_begin.push_back(static_cast<std::uint32_t>(edges_.dependencies.size()));
    }
  }

  const PlanBody& body_;
  const TaskCatalog& catalog_;
  Resolver* outer_;
  Problems& problems_;
  NodeTable table_;
  Suggestions ops_;
  Suggestions node_names_;
  PlanEdges edges_;
  NodeBodies* current_ = nullptr;  ///< Whose bodies are being resolved.
};

}  // namespace

const NodeBodies* PlanEdges::BodiesOf(std::uint32_t node) const {
  const auto found = std::ranges::lower_bound(bodies, node, {}, &NodeBodies::node);
  return found == bodies.end() || found->node != node ? nullptr : &*found;
}

PlanEdges ResolveEdges(const Plan& plan, const TaskCatalog& catalog, Problems& problems) {
  return Resolver(plan, catalog, nullptr, problems).Resolve();
}

std::string DependencyPointer(const PlanBody& body, const PlanEdges& edges, std::uint32_t node,
                              std::size_t dependency) {
  const std::size_t inputs = edges.InputsOf(node).size();
  if (dependency < inputs) return InputPointer(body, body.nodes[node], dependency);
  return edges.BodiesOf(node)->captures[dependency - inputs].pointer;
}

}  // namespace rankd
