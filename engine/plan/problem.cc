#include "engine/plan/problem.h"

namespace rankd {
namespace {

/// A field's name may hold anything; a line break in it must not break the line.
void AppendPrintable(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      out.push_back(c);
    } else {
      out += "\\u00";
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    }
  }
}

}  // namespace

std::string FormatProblem(std::string_view file, const Problem& problem) {
  std::string line = "rankd: ";
  AppendPrintable(line, file);
  line += ": ";
  if (!problem.pointer.empty()) {
    AppendPrintable(line, problem.pointer);
    line += ": ";
  }
  if (problem.severity == Severity::kWarning) line += "warning: ";
  for (const char c : problem.message) {
    line.push_back(c);
    if (c == '\n') line += "    ";
  }
  return line;
}

}  // namespace rankd
