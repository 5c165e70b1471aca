// The formats of `rankd explain`, one file each. Whole texts, a newline at the end.
#pragma once

#include <string>

#include "cli/console.h"
#include "engine/base/cpu_mode.h"
#include "engine/graph/explain.h"

namespace rankd {

/// For people: a row for each node behind lines of box characters, then what concerns several
/// nodes. Coloured as `console` wants it.
std::string ExplainText(const GraphExplanation& graph, const Console& console);

/// For Graphviz. Node ids are the names, bodies are clusters. Graphs of a size that makes layouts
/// slow get attributes that make them faster.
std::string ExplainDot(const GraphExplanation& graph);

/// A Mermaid flowchart; nodes are called n0, n1, …, bodies are subgraphs.
std::string ExplainMermaid(const GraphExplanation& graph);

/// One line of JSON; docs/explain.md has its fields. `cpu`: what the graph was explained for.
std::string ExplainJson(const GraphExplanation& graph, CpuMode cpu);

}  // namespace rankd
