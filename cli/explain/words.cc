#include "cli/explain/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/base/utf8.h"

namespace rankd {
namespace {

/// Three significant digits, without an exponent for what these texts hold.
std::string ShortNumber(double number) {
  std::array<char, 32> digits{};
  const std::to_chars_result end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                                 number, std::chars_format::general, 3);
  return {digits.data(), end.ptr};
}

/// "max_attempts 3, backoff 10 ms"
std::string RetryText(const RetryPolicy& retry) {
  std::string text = "max_attempts " + std::to_string(retry.max_attempts);
  if (retry.backoff.count() > 0) {
    text += ", backoff " + std::to_string(retry.backoff.count()) + " ms";
  }
  return text;
}

}  // namespace

std::string Counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string RunsText(const GraphExplanation& graph, const NodeExplanation& node) {
  std::string text;
  if (node.role == NodeRole::kJoin || node.role == NodeRole::kInput) return text;
  switch (node.runs_on) {
    case RunsOn::kCoroutine:
      text = "loop";
      break;
    case RunsOn::kInline:
      text = "inline";
      break;
    case RunsOn::kPool:
      text = "pool";
      break;
    case RunsOn::kInlineOrPool:
      text = "inline, pool from " + Counted(node.pool_from_rows, "row");
      break;
  }
  for (const std::uint32_t endpoint : node.endpoints) {
    text += ", " + VisibleText(graph.endpoints[endpoint].name);
  }
  return text;
}

std::string CostText(const NodeExplanation& node) {
  if (node.round_trips > 0) return Counted(node.round_trips, "round trip");
  std::string text;
  if (node.fixed_ns > 0) text = TimeText(node.fixed_ns);
  if (node.ns_per_row > 0) {
    if (!text.empty()) text += " + ";
    text += ShortNumber(node.ns_per_row) + " ns/row";
  }
  return text;
}

std::string RequiredText(const NodeExplanation& node) {
  return std::to_string(node.required) + (node.per_item ? " per item" : "");
}

std::vector<std::string> NodeRemarks(const NodeExplanation& node) {
  std::vector<std::string> remarks;
  for (const std::string& detail : node.details) remarks.push_back(VisibleText(detail));
  if (node.lazy) remarks.emplace_back("lazy");
  if (node.timeout) remarks.push_back("timeout " + std::to_string(node.timeout->count()) + " ms");
  if (node.retry) remarks.push_back(RetryText(*node.retry));
  if (node.on_error != OnError::kFail) {
    remarks.push_back("on_error " + std::string(OnErrorName(node.on_error)));
  }
  return remarks;
}

bool IsLowered(const GraphExplanation& graph) {
  return std::ranges::any_of(
      graph.nodes, [](const NodeExplanation& node) { return node.role != NodeRole::kNode; });
}

std::string BodyTitle(const BodyExplanation& body) {
  std::string title = body.path.substr(0, body.path.size() - 1);
  if (!body.plan.empty()) title += ": plan " + body.plan;
  return title;
}

std::vector<Group> GroupsOf(const GraphExplanation& graph) {
  std::vector<Group> groups(graph.bodies.size() + 1);
  const auto group_of = [&](std::optional<std::uint32_t> body) -> Group& {
    return groups[body ? *body + 1 : 0];
  };
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].chain) group_of(graph.nodes[i].body).nodes.push_back(i);
  }
  for (std::uint32_t i = 0; i < graph.chains.size(); ++i) {
    group_of(graph.nodes[graph.chains[i].front()].body).chains.push_back(i);
  }
  for (std::uint32_t i = 0; i < graph.bodies.size(); ++i) {
    group_of(graph.bodies[i].outer).bodies.push_back(i);
  }
  return groups;
}

std::vector<std::string> LabelLines(const GraphExplanation& graph, const NodeExplanation& node) {
  std::vector<std::string> lines = {node.id};
  if (node.op != node.id) lines.push_back(node.op);
  lines.push_back(RunsText(graph, node));
  lines.push_back(CostText(node));
  if (!graph.bodies.empty() && node.role != NodeRole::kInput) {
    lines.push_back("requires " + RequiredText(node));
  }
  for (std::string& remark : NodeRemarks(node)) lines.push_back(std::move(remark));
  lines.push_back(node.trace);
  return lines;
}

std::string TimeText(double nanoseconds) {
  constexpr std::array<std::string_view, 4> kUnits = {" ns", " us", " ms", " s"};
  std::size_t unit = 0;
  // What would be rounded to a thousand takes the next unit.
  while (nanoseconds >= 999.5 && unit + 1 < kUnits.size()) {
    nanoseconds /= 1000;
    ++unit;
  }
  if (nanoseconds >= 999.5) return std::to_string(static_cast<long long>(nanoseconds)) + " s";
  return ShortNumber(nanoseconds) + std::string(kUnits[unit]);
}

std::string VisibleText(std::string_view text) {
  std::string visible;
  for (const char c : ReplaceInvalidUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      visible.push_back(c);
      continue;
    }
    visible += "\xE2\x90";  // U+2400 and on, in the order of the control characters
    visible.push_back(static_cast<char>(byte == 0x7F ? 0xA1 : 0x80 + byte));
  }
  return visible;
}

}  // namespace rankd
