#include "engine/plan/problem.h"

#include <algorithm>

namespace rankd {
namespace {

/// What files hold is told to terminals: a name must neither break the line nor control them.
/// Control characters, also those above ASCII (U+0080 to U+009F), stand escaped.
void AppendPrintable(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte >= 0x20 && byte != 0x7F && !c1) {
      out.push_back(text[i]);
      continue;
    }
    if (c1) byte = static_cast<unsigned char>(text[++i]);
    out += "\\u00";
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
}

}  // namespace

const Problem* Problems::FirstError() const {
  const auto first = std::ranges::find(all_, Severity::kError, &Problem::severity);
  return first == all_.end() ? nullptr : &*first;
}

std::string SummaryOf(const Problems& problems) {
  const Problem& first = *problems.FirstError();
  std::string text = first.pointer.empty() ? "" : first.pointer + ": ";
  text += first.message.substr(0, first.message.find('\n'));
  if (const std::size_t more = problems.error_count() - 1; more > 0) {
    text += " (and " + std::to_string(more) + (more == 1 ? " more problem)" : " more problems)");
  }
  return text;
}

std::string FormatProblem(std::string_view file, const Problem& problem) {
  std::string line = "rankd: ";
  AppendPrintable(line, file);
  line += ": ";
  if (!problem.pointer.empty()) {
    AppendPrintable(line, problem.pointer);
    line += ": ";
  }
  if (problem.severity == Severity::kWarning) line += "warning: ";
  std::string_view rest = problem.message;
  for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
    AppendPrintable(line, rest.substr(0, end));
    line += "\n    ";
    rest.remove_prefix(end + 1);
  }
  AppendPrintable(line, rest);
  return line;
}

}  // namespace rankd
