#include "cli/explain/formats.h"
#include "cli/explain/words.h"

namespace rankd {
namespace {

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// An underscore within a word is no emphasis, and node ids are full of them.
bool IsMarkup(std::string_view text, std::size_t i) {
  constexpr std::string_view kMarkup = "\"#&<>`*_~\\";
  if (kMarkup.find(text[i]) == std::string_view::npos) return false;
  return text[i] != '_' || i == 0 || i + 1 == text.size() || !IsWordCharacter(text[i - 1]) ||
         !IsWordCharacter(text[i + 1]);
}

/// Text for a quoted label: whatever Mermaid, its Markdown or HTML could read as markup becomes an
/// entity (`#35;` is `#`).
std::string Escaped(std::string_view text) {
  const std::string visible = VisibleText(text);
  std::string escaped;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    if (IsMarkup(visible, i)) {
      escaped += "#" + std::to_string(static_cast<int>(visible[i])) + ";";
    } else {
      escaped.push_back(visible[i]);
    }
  }
  return escaped;
}

/// Lines of a label.
class MermaidLabel {
 public:
  void AddLine(std::string_view line) {
    if (line.empty()) return;
    if (!text_.empty()) text_ += "<br/>";
    text_ += Escaped(line);
  }
  std::string Quoted() const { return "\"" + text_ + "\""; }

 private:
  std::string text_;
};

std::string Name(std::size_t node) { return "n" + std::to_string(node); }

struct Shape {
  std::string_view open;
  std::string_view close;
};

Shape ShapeOf(const NodeExplanation& node) {
  switch (node.role) {
    case NodeRole::kHead:
      return {"{{", "}}"};
    case NodeRole::kJoin:
    case NodeRole::kInput:
      return {"([", "])"};
    case NodeRole::kNode:
      break;
  }
  return node.runs_on == RunsOn::kCoroutine ? Shape{"(", ")"} : Shape{"[", "]"};
}

std::string MermaidNodeLine(const GraphExplanation& graph, std::uint32_t number) {
  const NodeExplanation& node = graph.nodes[number];
  MermaidLabel label;
  for (const std::string& words : LabelLines(graph, node)) label.AddLine(words);
  const Shape shape = ShapeOf(node);
  std::string line = Name(number);
  line.append(shape.open).append(label.Quoted()).append(shape.close);
  if (node.on_longest_path) line += ":::longest";
  return line + "\n";
}

/// The nodes of the plan or a body. Recurses as deep as bodies nest.
void AppendMermaidGroup(const GraphExplanation& graph, const std::vector<Group>& groups,
                        std::size_t group, const std::string& indent, std::string& text) {
  for (const std::uint32_t node : groups[group].nodes)
    text += indent + MermaidNodeLine(graph, node);
  for (const std::uint32_t chain : groups[group].chains) {
    const std::string number = std::to_string(chain + 1);
    text += indent + "subgraph chain" + number + "[\"chain " + number + "\"]\n";
    for (const std::uint32_t node : graph.chains[chain]) {
      text += indent + "  " + MermaidNodeLine(graph, node);
    }
    text += indent + "end\n";
  }
  for (const std::uint32_t body : groups[group].bodies) {
    MermaidLabel label;
    label.AddLine(BodyTitle(graph.bodies[body]));
    text += indent + "subgraph body" + std::to_string(body + 1) + "[" + label.Quoted() + "]\n";
    AppendMermaidGroup(graph, groups, body + 1, indent + "  ", text);
    text += indent + "end\n";
  }
}

void AppendMermaidNodes(const GraphExplanation& graph, std::string& text) {
  AppendMermaidGroup(graph, GroupsOf(graph), 0, "  ", text);
  for (std::size_t i = 0; i < graph.pruned.size(); ++i) {
    MermaidLabel label;
    label.AddLine(graph.pruned[i].id);
    if (graph.pruned[i].op != graph.pruned[i].id) label.AddLine(graph.pruned[i].op);
    label.AddLine("pruned: no output needs it");
    text += "  " + Name(graph.nodes.size() + i) + "[" + label.Quoted() + "]:::pruned\n";
  }
}

std::string_view Arrow(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kForward:
      break;
    case EdgeKind::kContinue:
      return " -->|CONTINUE| ";
    case EdgeKind::kBreak:
      return " -.->|BREAK| ";
    case EdgeKind::kBack:
      return " -.->|BACK| ";
  }
  return " --> ";
}

}  // namespace

std::string ExplainMermaid(const GraphExplanation& graph) {
  std::string text = "flowchart TD\n";
  AppendMermaidNodes(graph, text);
  for (const EdgeExplanation& edge : graph.edges) {
    const bool into_pruned = edge.to >= graph.nodes.size();
    text += "  " + Name(edge.from) + (into_pruned ? " -.-> " : std::string(Arrow(edge.kind))) +
            Name(edge.to) + "\n";
  }
  // An output's rows go to the answer, in this order.
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string number = graph.outputs.size() == 1 ? "" : " " + std::to_string(i + 1);
    text += "  " + Name(graph.outputs[i]) + " --> out" + std::to_string(i) + "([\"output" + number +
            "\"])\n";
  }
  text += "  classDef longest stroke-width:3px\n";
  text += "  classDef pruned stroke-dasharray:4 4,color:#777,stroke:#777\n";
  return text;
}

}  // namespace rankd
