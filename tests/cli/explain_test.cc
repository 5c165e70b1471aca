// The formats of `rankd explain` over descriptions made by hand, with the oddest of names.
#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "cli/explain/formats.h"
#include "cli/explain/lanes.h"
#include "cli/explain/words.h"
#include "engine/base/json.h"
#include "tests/cli/recording_console.h"

namespace rankd {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

/// Nodes named by `ids`, all of op "take"; `edges` in the order of their ends.
GraphExplanation MakeGraph(const std::vector<std::string>& ids, const std::vector<Edge>& edges,
                           std::vector<std::uint32_t> outputs) {
  GraphExplanation graph;
  graph.plan = "p";
  for (const std::string& id : ids) {
    NodeExplanation node;
    node.id = id;
    node.op = "take";
    node.runs_on = RunsOn::kInline;
    graph.nodes.push_back(node);
  }
  for (const auto& [from, to] : edges) {
    graph.edges.push_back({from, to});
    if (to < graph.nodes.size()) ++graph.nodes[to].required;
  }
  for (std::uint32_t i = 0; i < outputs.size(); ++i) graph.nodes[outputs[i]].outputs.push_back(i);
  graph.outputs = std::move(outputs);
  graph.longest_path.nodes = {0};
  return graph;
}

std::string Text(const GraphExplanation& graph) {
  RecordingConsole recording;
  return ExplainText(graph, recording.console);
}

/// The lines of a drawing alone: node i's inputs are inputs[i].
std::string Drawing(const std::vector<std::vector<std::uint32_t>>& inputs,
                    std::size_t max_lanes = 8) {
  std::vector<std::uint32_t> consumers(inputs.size(), 0);
  for (const auto& list : inputs) {
    for (const std::uint32_t input : list) ++consumers[input];
  }
  LaneDrawing lanes(consumers, max_lanes, LaneStyle());
  std::string text;
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    const LaneDrawing::Row row = lanes.Draw(i, inputs[i], "o");
    text += row.line;
    for (const std::uint32_t unseen : row.unseen) text += " <" + std::to_string(unseen);
    text += "\n";
  }
  return text;
}

TEST_CASE("a chain is one lane, a fan one for each result that is waited for") {
  CHECK(Drawing({{}, {0}, {1}}) == "o\no\no\n");
  CHECK(Drawing({{}, {0}, {0}, {0}, {1, 2, 3}}) ==
        "o\n"
        "├─o\n"
        "├─│─o\n"
        "o │ │\n"
        "o─┴─╯\n");
}

TEST_CASE("a node is never drawn right below one whose rows it does not take") {
  // 0 gives its rows to nobody, 1 is a source.
  CHECK(Drawing({{}, {}, {1}}) ==
        "o\n"
        "  o\n"
        "  o\n");
  CHECK(Drawing({{}, {}, {}}) == "o\n  o\no\n");
}

TEST_CASE("lines cross lanes that have nothing to do with them, and join those that have") {
  CHECK(Drawing({{}, {}, {0}, {0, 2}, {1, 2}, {0, 1, 3, 4}}) ==
        "o\n"
        "│ o\n"
        "├─│─o\n"
        "├─│─┼─o\n"
        "│ ├─o │\n"
        "o─┴─┴─╯\n");
}

TEST_CASE("an input named twice is one line, and ends once both are drawn") {
  CHECK(Drawing({{}, {0, 0}, {1}}) == "o\no\no\n");
  CHECK(Drawing({{}, {0, 0}, {0, 1, 1}}) == "o\n├─o\no─╯\n");
}

TEST_CASE("beyond the greatest number of lanes edges are told by name") {
  CHECK(Drawing({{}, {0}, {0}, {0}, {1, 2, 3, 2}}, 2) ==
        "o\n"
        "├─o\n"
        "├─│─o\n"
        "o │\n"
        "o─╯ <2\n");
}

/// A naive reading of a drawing: which rows each row is connected to from above.
class DrawingReader {
 public:
  /// One string a row; the marker is "o".
  explicit DrawingReader(const std::vector<std::vector<std::string>>& rows) {
    for (std::uint32_t i = 0; i < rows.size(); ++i) ReadRow(rows[i], i);
  }
  /// Per row, the rows whose lane a line leads to or that stand right above.
  std::vector<std::set<std::uint32_t>> inputs;

 private:
  void ReadRow(const std::vector<std::string>& cells, std::uint32_t row) {
    std::set<std::uint32_t> from;
    std::map<std::size_t, std::uint32_t> lanes;
    const std::size_t marker =
        static_cast<std::size_t>(std::ranges::find(cells, std::string("o")) - cells.begin());
    if (const auto above = owner_.find(marker); above != owner_.end()) from.insert(above->second);
    lanes[marker] = row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string& cell = cells[i];
      const bool goes_on = cell == "├" || cell == "┤" || cell == "┼";
      const bool ends = cell == "╰" || cell == "╯" || cell == "┴";
      if (goes_on || ends) from.insert(owner_.at(i));
      if (goes_on || cell == "│") lanes[i] = owner_.at(i);
    }
    owner_ = std::move(lanes);
    inputs.push_back(std::move(from));
  }

  std::map<std::size_t, std::uint32_t> owner_;  ///< What a line that comes down carries.
};

std::vector<std::string> CodePoints(std::string_view line) {
  std::vector<std::string> cells;
  for (const char c : line) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) cells.emplace_back();
    cells.back().push_back(c);
  }
  return cells;
}

TEST_CASE("reading random drawings gives the edges back") {
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t below) {
    state = state * 1'664'525U + 1'013'904'223U;
    return (state >> 8) % below;
  };
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    std::vector<std::vector<std::uint32_t>> inputs(1 + random(40));
    std::vector<std::uint32_t> consumers(inputs.size(), 0);
    for (std::uint32_t i = 1; i < inputs.size(); ++i) {
      for (std::uint32_t k = random(4); k > 0; --k) inputs[i].push_back(random(i));
      for (const std::uint32_t input : inputs[i]) ++consumers[input];
    }
    LaneDrawing lanes(consumers, 64, LaneStyle());
    std::vector<std::vector<std::string>> rows;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      const LaneDrawing::Row row = lanes.Draw(i, inputs[i], "o");
      CHECK(row.unseen.empty());
      rows.push_back(CodePoints(row.line));
    }
    const DrawingReader reader(rows);
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      CAPTURE(i);
      CHECK(reader.inputs[i] == std::set<std::uint32_t>(inputs[i].begin(), inputs[i].end()));
    }
  }
}

TEST_CASE("text notes several outputs, repeats, pruned islands and edges from what runs") {
  GraphExplanation graph =
      MakeGraph({"s", "m"}, {{0, 1}, {0, 1}, {0, 2}, {2, 3}, {2, 3}, {2, 3}}, {1, 0, 1});
  graph.pruned = {{"p", "take"}, {"q", "concat"}, {"island", "sleep"}};
  graph.nodes[1].timeout = std::chrono::milliseconds(25);
  graph.nodes[1].effect = true;
  CHECK(Text(graph) ==
        "p: 2 nodes, 2 edges, 3 outputs, 3 pruned\n"
        "\n"
        "   NODE  OP    RUNS    COST  WRITES  NOTES\n"
        "●  s     take  inline                output 2\n"
        "●  m     take  inline                outputs 1, 3; effect; timeout 25 ms; s twice\n"
        "\n"
        "Pruned, as no output needs them:\n"
        "     NODE    OP      NOTES\n"
        "◌    p       take    ← s\n"
        "◌    q       concat  p 3 times\n"
        "  ◌  island  sleep\n"
        "\n"
        "outputs       m, s, m\n"
        "longest path  s (1 node)\n");
}

TEST_CASE("text cuts long lists in the middle") {
  std::vector<std::string> ids;
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < 100; ++i) {
    ids.push_back("n" + std::to_string(i));
    if (i != 0) edges.push_back({i - 1, i});
  }
  GraphExplanation graph = MakeGraph(ids, edges, {99});
  graph.longest_path.nodes.clear();
  for (std::uint32_t i = 0; i < 100; ++i) graph.longest_path.nodes.push_back(i);
  const std::string text = Text(graph);
  CHECK(text.find("n18 → n19 → … (76 more) → n96 → n97 → n98 → n99 (100 nodes)") !=
        std::string::npos);
}

TEST_CASE("text says what the last column is where there are too many lanes") {
  std::vector<std::string> ids = {"s"};
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i <= 40; ++i) {
    ids.push_back("n" + std::to_string(i));
    edges.push_back({0, i});
  }
  ids.push_back("all");
  for (std::uint32_t i = 1; i <= 40; ++i) edges.push_back({i, 41});
  const std::string text = Text(MakeGraph(ids, edges, {41}));
  CHECK(text.find("More than 24 results are alive at once") != std::string::npos);
  CHECK(text.find("output; ← n24, n25, n26") != std::string::npos);
}

TEST_CASE("colours are for consoles that want them: bold for the heading and the longest path") {
  const GraphExplanation graph = MakeGraph({"s", "m"}, {{0, 1}}, {1});
  RecordingConsole coloured({.quiet = false, .colour = true});
  GraphExplanation marked = graph;
  marked.nodes[0].on_longest_path = true;
  const std::string text = ExplainText(marked, coloured.console);
  CHECK(text.starts_with("\x1b[1mp\x1b[0m: "));
  CHECK(text.find("\x1b[1m●  s     take  inline\x1b[0m\n") != std::string::npos);
  CHECK(Text(marked).find('\x1b') == std::string::npos);
}

TEST_CASE("words: times, costs, and text that is safe to show") {
  CHECK(TimeText(0.5) == "0.5 ns");
  CHECK(TimeText(999.4) == "999 ns");
  CHECK(TimeText(999.6) == "1 us");
  CHECK(TimeText(1'234'567) == "1.23 ms");
  CHECK(TimeText(5e9) == "5 s");
  CHECK(TimeText(8.64e13) == "86400 s");
  NodeExplanation node;
  CHECK(CostText(node) == "");
  node.ns_per_row = 12.25;
  CHECK(CostText(node) == "12.2 ns/row");
  node.fixed_ns = 2000;
  CHECK(CostText(node) == "2 us + 12.2 ns/row");
  node.round_trips = 1;
  CHECK(CostText(node) == "1 round trip");
  CHECK(VisibleText("a\n\x1b[0m\x7f\xffé") == "a␊␛[0m␡\xEF\xBF\xBDé");
  CHECK(VisibleText(std::string_view("\0", 1)) == "␀");
}

/// What Graphviz reads: names, labels and edges, by its own rules for double-quoted strings.
struct DotReader {
  explicit DotReader(std::string_view text) : text_(text) {
    while (SkipTo('"')) {
      std::string name = String();
      if (text_.starts_with(" -> ")) {
        text_.remove_prefix(4);
        edges.emplace_back(name, String());
      } else if (text_.starts_with(" [label=")) {
        text_.remove_prefix(8);
        labels[name] = String();
      }
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      text_.remove_prefix(end);
    }
  }
  std::map<std::string, std::string> labels;
  std::vector<std::pair<std::string, std::string>> edges;

 private:
  bool SkipTo(char c) {
    const std::size_t at = text_.find(c);
    text_.remove_prefix(std::min(at, text_.size()));
    return at != std::string_view::npos;
  }
  /// Its lexer: \" is a quote, \\ stays two characters, all else stands for itself.
  std::string String() {
    std::string value;
    REQUIRE(text_.front() == '"');
    std::size_t i = 1;
    for (; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_.substr(i, 2) == "\\\"") {
        ++i;
      } else if (text_.substr(i, 2) == "\\\\") {
        value.push_back(text_[i++]);
      }
      value.push_back(text_[i]);
    }
    REQUIRE(i < text_.size());
    text_.remove_prefix(i + 1);
    return value;
  }
  std::string_view text_;
};

const std::vector<std::string> kOddIds = {"plain", "a.b:c-d_e", "subgraph", "->",  "a\"b",  "a\\",
                                          "a\\\\", "a\\\"b",    "}",        "é✓",  "&amp;", "<b>",
                                          "#35;",  "`x`",       "a\nb",     "_x_", "end",   "1. x"};

GraphExplanation OddGraph() {
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < kOddIds.size(); ++i) edges.push_back({i - 1, i});
  return MakeGraph(kOddIds, edges, {static_cast<std::uint32_t>(kOddIds.size() - 1)});
}

TEST_CASE("dot keeps odd ids apart, as names and in labels") {
  const GraphExplanation graph = OddGraph();
  const DotReader dot(ExplainDot(graph));
  CHECK(dot.labels.size() == kOddIds.size());
  REQUIRE(dot.edges.size() == kOddIds.size() - 1);
  for (std::size_t i = 0; i < dot.edges.size(); ++i) {
    CAPTURE(kOddIds[i]);
    CHECK(dot.labels.contains(dot.edges[i].first));
    if (i != 0) CHECK(dot.edges[i].first == dot.edges[i - 1].second);
  }
  CHECK(dot.labels.at("plain") == "plain\\ntake\\ninline");
  CHECK(dot.labels.at("a\"b").starts_with("a\"b\\n"));
  CHECK(dot.labels.at("a\\\\").starts_with("a\\\\\\n"));  // a label's \\ is one backslash
  CHECK(dot.labels.at("&amp;").starts_with("&amp;amp;\\n"));
  CHECK(dot.labels.at("a␊b").starts_with("a␊b\\n"));
}

TEST_CASE("dot draws chains as clusters and what is pruned dashed") {
  GraphExplanation graph = MakeGraph({"s", "a", "b"}, {{0, 1}, {1, 2}, {2, 3}}, {2});
  graph.pruned = {{"gone", "take"}};
  graph.chains = {{1, 2}};
  graph.nodes[1].chain = graph.nodes[2].chain = 0;
  graph.longest_path.nodes = {0, 1, 2};
  const std::string text = ExplainDot(graph);
  CHECK(text.find("subgraph cluster_chain_1 {\n    label=\"chain 1\"") != std::string::npos);
  CHECK(text.find("\"gone\" [label=\"gone\\ntake\\npruned: no output needs it\", "
                  "style=\"rounded,dashed\"") != std::string::npos);
  CHECK(text.find("\"b\" -> \"gone\" [style=dashed") != std::string::npos);
  CHECK(text.find("\"a\" -> \"b\" [penwidth=2]") != std::string::npos);
  CHECK(text.find("\"b\" [label=\"b\\ntake\\ninline\", peripheries=2") != std::string::npos);
}

TEST_CASE("mermaid has plain names, and labels without anything it could read as markup") {
  const std::string text = ExplainMermaid(OddGraph());
  CHECK(text.starts_with("flowchart TD\n"));
  for (const std::string_view label : {"a#34;b<br/>", "a#92;<br/>", "#38;amp;", "#60;b#62;",
                                       "#35;35;", "#96;x#96;", "#95;x#95;", "[\"a.b:c-d_e<br/>"}) {
    CAPTURE(label);
    CHECK(text.find(label) != std::string::npos);
  }
  // Outside of quotes there are names, arrows and brackets only.
  std::string outside;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted) outside.push_back(c);
  }
  CHECK_FALSE(quoted);
  CHECK(outside.find_first_of("\\`<&") == std::string::npos);
  CHECK(text.find("n0 --> n1\n") != std::string::npos);
  CHECK(text.find("n17 --> out0([\"output\"])") != std::string::npos);
}

TEST_CASE("mermaid draws chains as subgraphs, pruned edges dotted, outputs by their place") {
  GraphExplanation graph = MakeGraph({"s", "a", "b"}, {{0, 1}, {1, 2}, {2, 3}}, {2, 0});
  graph.pruned = {{"gone", "take"}};
  graph.chains = {{1, 2}};
  graph.nodes[1].chain = graph.nodes[2].chain = 0;
  const std::string text = ExplainMermaid(graph);
  CHECK(text.find("  subgraph chain1[\"chain 1\"]\n    n1[") != std::string::npos);
  CHECK(text.find("  n3[\"gone<br/>take<br/>pruned: no output needs it\"]:::pruned\n") !=
        std::string::npos);
  CHECK(text.find("  n2 -.-> n3\n") != std::string::npos);
  CHECK(text.find("  n0 --> out1([\"output 2\"])\n") != std::string::npos);
}

TEST_CASE("json is one line, and gives odd names back as they are") {
  GraphExplanation graph = OddGraph();
  graph.nodes[0].trace = "a\n\"b\"";
  const std::string text = ExplainJson(graph, CpuMode::kInline);
  CHECK(std::ranges::count(text, '\n') == 1);
  Result<JsonDocument> document = ParseJson(text);
  REQUIRE(document);
  const Json& root = document->root();
  CHECK(root.Find("cpu")->AsString() == "inline");
  const std::span<const Json> nodes = root.Find("nodes")->items();
  REQUIRE(nodes.size() == kOddIds.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    CHECK(nodes[i].Find("node")->AsString() == kOddIds[i]);
    CHECK(nodes[i].Find("required")->AsInt() == (i == 0 ? 0 : 1));
  }
  CHECK(nodes[0].Find("trace")->AsString() == "a\n\"b\"");
  CHECK(nodes[1].Find("trace")->is_null());
  const std::span<const Json> edges = root.Find("edges")->items();
  REQUIRE(edges.size() == kOddIds.size() - 1);
  CHECK(edges[3].Find("from")->AsString() == kOddIds[3]);
  CHECK(edges[3].Find("to")->AsString() == kOddIds[4]);
  CHECK(edges[3].Find("kind")->AsString() == "FORWARD");
}

TEST_CASE("json tells pruned nodes with their inputs, apart from the edges that carry rows") {
  GraphExplanation graph = MakeGraph({"s", "a"}, {{0, 1}, {0, 2}, {2, 3}, {1, 3}, {2, 3}}, {1});
  graph.pruned = {{"p", "take"}, {"q", "concat"}, {"island", "take"}};
  graph.nodes[1].runs_on = RunsOn::kInlineOrPool;
  graph.nodes[1].pool_from_rows = 12;
  Result<JsonDocument> document = ParseJson(ExplainJson(graph, CpuMode::kAuto));
  REQUIRE(document);
  const Json& root = document->root();
  CHECK(root.Find("edges")->items().size() == 1);
  CHECK(root.Find("nodes")->items()[0].Find("pool_from_rows")->is_null());
  CHECK(root.Find("nodes")->items()[1].Find("pool_from_rows")->AsInt() == 12);
  const std::span<const Json> pruned = root.Find("pruned")->items();
  REQUIRE(pruned.size() == 3);
  REQUIRE(pruned[1].Find("inputs")->items().size() == 3);
  CHECK(pruned[1].Find("inputs")->items()[1].AsString() == "a");
  CHECK(pruned[2].Find("inputs")->items().empty());
  CHECK(pruned[0].Find("reason")->AsString() == "no output needs it");
}

}  // namespace
}  // namespace rankd
