#include <chrono>
#include <expected>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/explain/formats.h"
#include "cli/explain/graphviz.h"
#include "cli/plan_finder.h"
#include "engine/graph/explain.h"
#include "engine/run/cpu_policy.h"

namespace rankd {
namespace {

/// Graphviz' layouts take more than linear time. Plans of 5,000 nodes take it ten seconds; what
/// takes longer than this is of no use drawn.
constexpr std::chrono::seconds kSvgLimit{120};

std::string Text(const GraphExplanation& graph, ExplainFormat format,
                 const CommandContext& context) {
  switch (format) {
    case ExplainFormat::kText:
      return ExplainText(graph, context.console);
    case ExplainFormat::kDot:
      return ExplainDot(graph);
    case ExplainFormat::kMermaid:
      return ExplainMermaid(graph);
    case ExplainFormat::kJson:
      return ExplainJson(graph, context.options.run.cpu);
  }
  return "";
}

int WriteSvg(const GraphExplanation& graph, const std::string& file, Console& console) {
  const std::expected<std::string, std::string> svg = RenderSvg(ExplainDot(graph), kSvgLimit);
  if (!svg) {
    console.Error("--svg: " + svg.error());
    return kExitIo;
  }
  const std::expected<void, std::string> written = ReplaceFile(file, *svg);
  if (!written) {
    console.Error("cannot write " + file + ": " + written.error());
    return kExitIo;
  }
  return kExitOk;
}

}  // namespace

int RunExplain(const CommandContext& context) {
  const Options& options = context.options;
  PlanFinder finder(context);
  const std::optional<PlanFinder::Found> found = finder.Find(options.plans.front());
  if (!found) return kExitUsage;
  for (const Problem& problem : found->plan.problems.all()) {
    context.console.Report(found->plan.file, problem);
  }
  if (found->plan.graph == nullptr) return kExitUsage;
  ExplainScope scope;
  scope.endpoints = &found->workspace->endpoints();
  scope.node_timeout = options.run.node_timeout;
  scope.runs_inline = [&](const CpuTask& task, std::size_t rows) {
    return RunsInline(task, rows, options.run.cpu);
  };
  const GraphExplanation graph = Explain(*found->plan.graph, scope);
  if (options.explain.format) {
    context.console.Print(Text(graph, *options.explain.format, context));
  }
  return options.explain.svg_file ? WriteSvg(graph, *options.explain.svg_file, context.console)
                                  : kExitOk;
}

}  // namespace rankd
