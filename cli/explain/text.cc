#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "cli/explain/formats.h"
#include "cli/explain/lanes.h"
#include "cli/explain/words.h"
#include "cli/text_table.h"

namespace rankd {
namespace {

/// More results alive at once than a terminal shows beside the table.
constexpr std::size_t kMaxLanes = 24;
/// Names of a list: a longer one is cut in the middle.
constexpr std::size_t kShown = 24;
constexpr std::size_t kShownLast = 4;

constexpr LaneStyle kRunning{};
constexpr LaneStyle kPruned{.vertical = "┆", .horizontal = "┄"};
constexpr std::string_view kIoMarker = "○";
constexpr std::string_view kCpuMarker = "●";
constexpr std::string_view kHeadMarker = "◆";
constexpr std::string_view kJoinMarker = "◇";
constexpr std::string_view kPrunedMarker = "◌";

std::string Names(const GraphExplanation& graph, std::span<const std::uint32_t> nodes,
                  std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i != 0) text += between;
    if (nodes.size() > kShown && i == kShown - kShownLast) {
      const std::size_t left_out = nodes.size() - kShown;
      text += "… (" + std::to_string(left_out) + " more)" + std::string(between);
      i += left_out;
    }
    text += VisibleText(graph.IdOf(nodes[i]));
  }
  return text;
}

/// Walks the edges, which are in the order of their ends.
class InputCursor {
 public:
  explicit InputCursor(const GraphExplanation& graph) : edges_(graph.edges) {}

  /// The inputs of `node`, repeats included; asked for in the order of nodes, pruned ones last.
  const std::vector<std::uint32_t>& Of(std::uint32_t node) {
    inputs_.clear();
    kinds_.clear();
    for (; at_ < edges_.size() && edges_[at_].to == node; ++at_) {
      if (edges_[at_].kind == EdgeKind::kBack) continue;
      inputs_.push_back(edges_[at_].from);
      kinds_.push_back(edges_[at_].kind);
    }
    return inputs_;
  }
  /// Of the edges from those inputs.
  const std::vector<EdgeKind>& kinds() const { return kinds_; }

 private:
  std::span<const EdgeExplanation> edges_;
  std::size_t at_ = 0;
  std::vector<std::uint32_t> inputs_;
  std::vector<EdgeKind> kinds_;
};

/// Per node, pruned or not, the edges that leave it for a node that runs (or does not).
std::vector<std::uint32_t> Consumers(const GraphExplanation& graph, bool pruned) {
  std::vector<std::uint32_t> consumers(graph.nodes.size() + graph.pruned.size(), 0);
  for (const EdgeExplanation& edge : graph.edges) {
    if (edge.kind == EdgeKind::kBack) continue;  // leads up
    if ((edge.to >= graph.nodes.size()) == pruned) ++consumers[edge.from];
  }
  return consumers;
}

void AddNote(std::string& notes, std::string_view note) {
  if (!notes.empty()) notes += "; ";
  notes += note;
}

std::string OutputsNote(const GraphExplanation& graph, const NodeExplanation& node) {
  if (graph.outputs.size() == 1) return "output";
  std::string text = node.outputs.size() == 1 ? "output " : "outputs ";
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(node.outputs[i] + 1);
  }
  return text;
}

/// "v twice" where one of these inputs is named more than once.
void AddRepeats(const GraphExplanation& graph, std::vector<std::uint32_t> inputs,
                std::string& notes) {
  std::ranges::sort(inputs);
  for (std::size_t i = 0; i < inputs.size();) {
    const std::size_t begin = i;
    while (i < inputs.size() && inputs[i] == inputs[begin]) ++i;
    if (i - begin == 1) continue;
    AddNote(notes, VisibleText(graph.IdOf(inputs[begin])) +
                       (i - begin == 2 ? " twice" : " " + std::to_string(i - begin) + " times"));
  }
}

std::string NotesOf(const GraphExplanation& graph, const NodeExplanation& node) {
  std::string notes;
  if (!node.outputs.empty()) AddNote(notes, OutputsNote(graph, node));
  if (node.effect) AddNote(notes, "effect");
  if (node.chain) AddNote(notes, "chain " + std::to_string(*node.chain + 1));
  for (const std::string& remark : NodeRemarks(node)) AddNote(notes, remark);
  if (!node.trace.empty()) AddNote(notes, "\"" + VisibleText(node.trace) + "\"");
  return notes;
}

/// "CONTINUE from each": of the edges that are not FORWARD.
void AddKinds(const GraphExplanation& graph, const InputCursor& cursor,
              std::span<const std::uint32_t> inputs, std::string& notes) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (cursor.kinds()[i] == EdgeKind::kForward) continue;
    // An input named twice is told of elsewhere.
    if (i > 0 && inputs[i] == inputs[i - 1] && cursor.kinds()[i] == cursor.kinds()[i - 1]) continue;
    AddNote(notes, std::string(EdgeKindName(cursor.kinds()[i])) + " from " +
                       VisibleText(graph.IdOf(inputs[i])));
  }
}

/// Per node: the head that an edge leads back to from it, or `kNowhere`.
constexpr std::uint32_t kNowhere = 0xffffffff;
std::vector<std::uint32_t> BackEdges(const GraphExplanation& graph) {
  std::vector<std::uint32_t> back(graph.nodes.size(), kNowhere);
  for (const EdgeExplanation& edge : graph.edges) {
    if (edge.kind == EdgeKind::kBack) back[edge.from] = edge.to;
  }
  return back;
}

std::string_view MarkerOf(const NodeExplanation& node) {
  switch (node.role) {
    case NodeRole::kHead:
      return kHeadMarker;
    case NodeRole::kJoin:
      return kJoinMarker;
    case NodeRole::kInput:
      return kIoMarker;
    case NodeRole::kNode:
      break;
  }
  return node.runs_on == RunsOn::kCoroutine ? kIoMarker : kCpuMarker;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void AddUnseen(const GraphExplanation& graph, const std::vector<std::uint32_t>& unseen,
               std::string& notes) {
  if (!unseen.empty()) AddNote(notes, "← " + Names(graph, unseen, ", "));
}

std::string RunningPart(const GraphExplanation& graph, InputCursor& cursor,
                        const Console& console) {
  const bool lowered = IsLowered(graph);
  std::vector<std::string> columns = {"", "NODE", "OP", "RUNS", "COST", "WRITES", "NOTES"};
  if (lowered) columns.insert(columns.begin() + 3, "REQUIRED");
  TextTable table(std::move(columns));
  const std::vector<std::uint32_t> back = BackEdges(graph);
  LaneDrawing lanes(Consumers(graph, false), kMaxLanes, kRunning);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const NodeExplanation& node = graph.nodes[i];
    const std::vector<std::uint32_t>& inputs = cursor.Of(i);
    LaneDrawing::Row row = lanes.Draw(i, inputs, MarkerOf(node));
    std::string notes = NotesOf(graph, node);
    AddKinds(graph, cursor, inputs, notes);
    if (back[i] != kNowhere) AddNote(notes, "BACK to " + VisibleText(graph.IdOf(back[i])));
    AddRepeats(graph, inputs, notes);
    AddUnseen(graph, row.unseen, notes);
    std::vector<std::string> cells = {
        std::move(row.line), VisibleText(node.id), node.op,         RunsText(graph, node),
        CostText(node),      Joined(node.writes),  std::move(notes)};
    if (lowered) cells.insert(cells.begin() + 3, RequiredText(node));
    table.AddRow(std::move(cells), node.on_longest_path);
  }
  std::string text = table.Format(console);
  if (lanes.overflowed()) {
    text += "More than " + std::to_string(kMaxLanes) +
            " results are alive at once: what the nodes of the last column give is told by ←.\n";
  }
  return text;
}

/// Edges from nodes that run are told by name: the two drawings stand apart.
std::string PrunedPart(const GraphExplanation& graph, InputCursor& cursor, const Console& console) {
  const auto first = static_cast<std::uint32_t>(graph.nodes.size());
  TextTable table({"", "NODE", "OP", "NOTES"});
  LaneDrawing lanes(Consumers(graph, true), kMaxLanes, kPruned);
  for (std::uint32_t i = 0; i < graph.pruned.size(); ++i) {
    const std::vector<std::uint32_t>& inputs = cursor.Of(first + i);
    LaneDrawing::Row row = lanes.Draw(first + i, inputs, kPrunedMarker);
    std::string notes;
    AddRepeats(graph, inputs, notes);
    AddUnseen(graph, row.unseen, notes);
    table.AddRow({std::move(row.line), VisibleText(graph.pruned[i].id), graph.pruned[i].op,
                  std::move(notes)});
  }
  return "\nPruned, as no output needs them:\n" + table.Format(console);
}

/// It is no node of the plan, nor of a body.
bool IsAdded(const NodeExplanation& node) {
  return node.role == NodeRole::kJoin || node.role == NodeRole::kInput;
}

std::string Heading(const GraphExplanation& graph, const Console& console) {
  const auto into_pruned = std::ranges::count_if(
      graph.edges, [&](const EdgeExplanation& edge) { return edge.to >= graph.nodes.size(); });
  const auto joins = static_cast<std::size_t>(std::ranges::count_if(
      graph.nodes, [](const NodeExplanation& node) { return IsAdded(node); }));
  std::string text = Counted(graph.nodes.size() - joins, "node");
  if (!graph.bodies.empty())
    text += ", " + std::to_string(graph.bodies.size()) +
            (graph.bodies.size() == 1 ? " body" : " bodies");
  text += ", " + Counted(graph.edges.size() - static_cast<std::size_t>(into_pruned), "edge") +
          ", " + Counted(graph.outputs.size(), "output");
  if (!graph.pruned.empty()) text += ", " + std::to_string(graph.pruned.size()) + " pruned";
  if (graph.needs_user_id) text += ", needs a user_id";
  return console.Bold(graph.plan) + ": " + text + "\n\n";
}

/// What concerns several nodes, as `name  text` lines.
std::string Summary(const GraphExplanation& graph) {
  constexpr std::size_t kWidth = 14;
  std::string text = "\n";
  const auto add = [&](std::string name, std::string_view value) {
    name.resize(std::max(name.size() + 2, kWidth), ' ');
    text += name + std::string(value) + "\n";
  };
  add("outputs", Names(graph, graph.outputs, ", "));
  const PathExplanation& path = graph.longest_path;
  const auto joins = static_cast<std::size_t>(std::ranges::count_if(
      path.nodes, [&](std::uint32_t node) { return IsAdded(graph.nodes[node]); }));
  std::string cost = Counted(path.nodes.size() - joins, "node");
  if (path.round_trips > 0) cost += ", " + Counted(path.round_trips, "round trip");
  if (path.cpu_ns > 0) cost += ", " + TimeText(path.cpu_ns) + " of CPU at 1000 rows a node";
  if (!graph.bodies.empty()) cost += "; each body counted once";
  add("longest path", Names(graph, path.nodes, " → ") + " (" + cost + ")");
  for (std::size_t i = 0; i < graph.chains.size(); ++i) {
    add("chain " + std::to_string(i + 1), Names(graph, graph.chains[i], " → "));
  }
  for (const EndpointExplanation& endpoint : graph.endpoints) {
    std::string address = endpoint.address.empty() ? "" : ", " + VisibleText(endpoint.address);
    add("endpoint", VisibleText(endpoint.name) + ": " + endpoint.kind + address);
  }
  return text;
}

}  // namespace

std::string ExplainText(const GraphExplanation& graph, const Console& console) {
  InputCursor cursor(graph);
  std::string text = Heading(graph, console) + RunningPart(graph, cursor, console);
  if (!graph.pruned.empty()) text += PrunedPart(graph, cursor, console);
  return text + Summary(graph);
}

}  // namespace rankd
