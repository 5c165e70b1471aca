#include "cli/explain/words.h"

#include <array>
#include <charconv>

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

}  // namespace

std::string Counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string RunsText(const GraphExplanation& graph, const NodeExplanation& node) {
  std::string text;
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

std::vector<std::string> LabelLines(const GraphExplanation& graph, const NodeExplanation& node) {
  std::vector<std::string> lines = {node.id};
  if (node.op != node.id) lines.push_back(node.op);
  lines.push_back(RunsText(graph, node));
  lines.push_back(CostText(node));
  if (node.timeout) lines.push_back("timeout " + std::to_string(node.timeout->count()) + " ms");
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
