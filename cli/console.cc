#include "cli/console.h"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace rankd {
namespace {

/// One less than the columns of stderr's terminal, so that the cursor stays in the line.
std::size_t StatusWidth() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : std::size_t{80}) - 1;
}

}  // namespace

void Console::Error(std::string_view message) {
  const std::lock_guard lock(mutex_);
  Say(message);
}

void Console::Say(std::string_view message) {
  std::string line = "rankd: ";
  for (const char c : message) line.push_back(c == '\n' || c == '\r' ? ' ' : c);
  line.push_back('\n');
  TakeStatusAway();
  err_.Write(line);
}

void Console::Note(std::string_view message) {
  if (look_.quiet) return;
  const std::lock_guard lock(mutex_);
  if (noted_.emplace(message).second) Say(message);
}

bool Console::IsNews(std::string_view message) {
  const std::lock_guard lock(mutex_);
  return noted_.emplace(message).second;
}

void Console::Report(std::string_view file, const Problem& problem) {
  if (problem.severity == Severity::kWarning && look_.quiet) return;
  std::string lines = FormatProblem(file, problem);
  lines.push_back('\n');
  const std::lock_guard lock(mutex_);
  TakeStatusAway();
  err_.Write(lines);
}

void Console::Show(std::string_view lines) {
  if (!look_.error_terminal || look_.quiet) return;
  const std::lock_guard lock(mutex_);
  TakeStatusAway();
  err_.Write(lines);
}

void Console::ShowStatus(std::string_view line) {
  if (!has_status_line()) return;
  const std::lock_guard lock(mutex_);
  const std::string_view shown = line.substr(0, StatusWidth());
  // Blanks instead of an escape sequence: every terminal knows them.
  std::string text = "\r" + std::string(shown);
  if (shown.size() < status_width_) text.append(status_width_ - shown.size(), ' ');
  status_width_ = shown.size();
  err_.Write(text);
}

void Console::ClearStatus() {
  const std::lock_guard lock(mutex_);
  TakeStatusAway();
}

void Console::TakeStatusAway() {
  if (status_width_ == 0) return;
  err_.Write("\r" + std::string(status_width_, ' ') + "\r");
  status_width_ = 0;
}

std::string Console::ErrorColoured(std::string_view code, std::string_view text) const {
  if (!look_.error_colour) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Console::Coloured(std::string_view code, std::string_view text) const {
  if (!look_.colour) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace rankd
