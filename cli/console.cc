#include "cli/console.h"

namespace rankd {

void Console::Error(std::string_view message) {
  std::string line = "rankd: ";
  for (const char c : message) line.push_back(c == '\n' || c == '\r' ? ' ' : c);
  line.push_back('\n');
  err_.Write(line);
}

void Console::Note(std::string_view message) {
  if (look_.quiet || !IsNews(message)) return;
  Error(message);
}

void Console::Report(std::string_view file, const Problem& problem) {
  if (problem.severity == Severity::kWarning && look_.quiet) return;
  std::string lines = FormatProblem(file, problem);
  lines.push_back('\n');
  err_.Write(lines);
}

std::string Console::Coloured(std::string_view code, std::string_view text) const {
  if (!look_.colour) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace rankd
