#include "cli/explain/formats.h"
#include "cli/explain/words.h"

namespace rankd {
namespace {

/// From so many nodes on, dot's usual layout takes long: settle for a plainer one.
constexpr std::size_t kManyNodes = 500;

/// A double-quoted DOT string. In names only \" is an escape, but a backslash is kept from the
/// quote that ends the string by a second one; in labels both are escapes.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : VisibleText(text)) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

/// Lines of a label. Entities are read in labels, so that `&` is one.
class DotLabel {
 public:
  void AddLine(std::string_view text) {
    if (text.empty()) return;
    if (!text_.empty()) text_ += "\\n";
    for (const char c : VisibleText(text)) {
      if (c == '&') {
        text_ += "&amp;";
        continue;
      }
      if (c == '"' || c == '\\') text_.push_back('\\');
      text_.push_back(c);
    }
  }
  std::string Quoted() const { return "\"" + text_ + "\""; }

 private:
  std::string text_;
};

std::string DotNodeLine(const GraphExplanation& graph, const NodeExplanation& node) {
  DotLabel label;
  for (const std::string& words : LabelLines(graph, node)) label.AddLine(words);
  std::string line = Quoted(node.id) + " [label=" + label.Quoted();
  if (node.runs_on == RunsOn::kCoroutine)
    line += ", style=\"rounded,filled\", fillcolor=\"#e8f0fe\"";
  if (node.role == NodeRole::kHead) line += ", shape=hexagon, style=solid";
  if (node.role == NodeRole::kJoin) line += ", shape=ellipse, style=solid, margin=0";
  if (node.role == NodeRole::kInput) line += ", shape=ellipse, style=dashed";
  if (!node.outputs.empty()) line += ", peripheries=2";
  if (node.on_longest_path) line += ", penwidth=2";
  return line + "];\n";
}

/// The nodes of the plan or a body. Recurses as deep as bodies nest.
void AppendDotGroup(const GraphExplanation& graph, const std::vector<Group>& groups,
                    std::size_t group, const std::string& indent, std::string& text) {
  for (const std::uint32_t node : groups[group].nodes) {
    text += indent + DotNodeLine(graph, graph.nodes[node]);
  }
  for (const std::uint32_t chain : groups[group].chains) {
    const std::string number = std::to_string(chain + 1);
    text += indent + "subgraph cluster_chain_" + number + " {\n" + indent + "  label=\"chain " +
            number + "\"; style=\"rounded,dotted\"; fontsize=10;\n";
    for (const std::uint32_t node : graph.chains[chain]) {
      text += indent + "  " + DotNodeLine(graph, graph.nodes[node]);
    }
    text += indent + "}\n";
  }
  for (const std::uint32_t body : groups[group].bodies) {
    DotLabel label;
    label.AddLine(BodyTitle(graph.bodies[body]));
    text += indent + "subgraph cluster_body_" + std::to_string(body + 1) + " {\n" + indent +
            "  label=" + label.Quoted() + "; style=\"rounded\"; color=gray40; fontsize=10;\n";
    AppendDotGroup(graph, groups, body + 1, indent + "  ", text);
    text += indent + "}\n";
  }
}

void AppendDotNodes(const GraphExplanation& graph, std::string& text) {
  AppendDotGroup(graph, GroupsOf(graph), 0, "  ", text);
  for (const PrunedExplanation& node : graph.pruned) {
    DotLabel label;
    label.AddLine(node.id);
    if (node.op != node.id) label.AddLine(node.op);
    label.AddLine("pruned: no output needs it");
    text += "  " + Quoted(node.id) + " [label=" + label.Quoted() +
            ", style=\"rounded,dashed\", color=gray50, fontcolor=gray50];\n";
  }
}

std::string_view KindAttributes(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kForward:
      return "";
    case EdgeKind::kContinue:
      return "label=\"CONTINUE\", color=\"#1a73e8\"";
    case EdgeKind::kBreak:
      return "label=\"BREAK\", style=dotted";
    case EdgeKind::kBack:
      return "label=\"BACK\", style=dashed, constraint=false";
  }
  return "";
}

void AppendEdges(const GraphExplanation& graph, std::string& text) {
  // A node on the longest path has one input that is on it too, unless it is the first.
  std::vector<std::uint32_t> before(graph.nodes.size(), 0xffffffff);
  for (std::size_t i = 1; i < graph.longest_path.nodes.size(); ++i) {
    before[graph.longest_path.nodes[i]] = graph.longest_path.nodes[i - 1];
  }
  for (const EdgeExplanation& edge : graph.edges) {
    text += "  " + Quoted(graph.IdOf(edge.from)) + " -> " + Quoted(graph.IdOf(edge.to));
    std::string attributes = std::string(KindAttributes(edge.kind));
    if (edge.to >= graph.nodes.size()) {
      attributes = "style=dashed, color=gray50";
    } else if (before[edge.to] == edge.from && edge.kind != EdgeKind::kBack) {
      attributes += attributes.empty() ? "penwidth=2" : ", penwidth=2";
    }
    if (!attributes.empty()) text += " [" + attributes + "]";
    text += ";\n";
  }
}

}  // namespace

std::string ExplainDot(const GraphExplanation& graph) {
  std::string text = "digraph " + Quoted(graph.plan) + " {\n";
  text += "  graph [rankdir=TB, fontname=\"Helvetica\"";
  if (graph.nodes.size() + graph.pruned.size() >= kManyNodes) {
    text += ", splines=line, nslimit=0.1, nslimit1=0.1, mclimit=0.01, searchsize=5";
  }
  text += "];\n";
  text += "  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];\n";
  text += graph.bodies.empty() ? "  edge [arrowsize=0.7];\n"
                               : "  edge [arrowsize=0.7, fontname=\"Helvetica\", fontsize=8];\n";
  AppendDotNodes(graph, text);
  AppendEdges(graph, text);
  return text + "}\n";
}

}  // namespace rankd
