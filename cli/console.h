// What the process says: results on stdout, everything else on stderr, one line each. Any
// thread; what one call says stays together.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "engine/plan/problem.h"

namespace rankd {

/// Where bytes go: a descriptor, or a string in tests.
class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void Write(std::string_view text) = 0;
};

class Console {
 public:
  struct Look {
    bool quiet = false;           ///< No notes.
    bool colour = false;          ///< Stdout is a terminal that wants colours.
    bool error_terminal = false;  ///< Stderr is a terminal.
    bool error_colour = false;    ///< And one that wants colours and bars.
  };

  Console(TextSink& out, TextSink& err, Look look) : out_(out), err_(err), look_(look) {}

  /// To stdout, as it is.
  void Print(std::string_view text) { out_.Write(text); }
  /// `rankd: message` on stderr, on one line whatever the message holds.
  void Error(std::string_view message);
  /// The same, unless quiet; a note that was given before is not repeated.
  void Note(std::string_view message);
  /// As FormatProblem says, unless it is a warning and notes are not wanted.
  void Report(std::string_view file, const Problem& problem);
  /// True the first time: for what is to be noted once, wherever it is met.
  bool IsNews(std::string_view message);

  /// Lines for people, as they are, on a stderr that is a terminal; unless quiet.
  void Show(std::string_view lines);
  /// A line on stderr that stays until it is cleared, replaced, or something else is said there.
  /// Only where there is a place for it: ASCII, cut to the width of the terminal.
  bool has_status_line() const { return look_.error_colour && !look_.quiet; }
  void ShowStatus(std::string_view line);
  void ClearStatus();

  /// `text` for stdout, coloured where colours are wanted.
  std::string Bold(std::string_view text) const { return Coloured("1", text); }
  std::string Green(std::string_view text) const { return Coloured("32", text); }
  std::string Red(std::string_view text) const { return Coloured("31", text); }
  /// The same for stderr, by the code of SGR.
  std::string ErrorColoured(std::string_view code, std::string_view text) const;

 private:
  /// Under mutex_, as is TakeStatusAway.
  void Say(std::string_view message);
  void TakeStatusAway();
  std::string Coloured(std::string_view code, std::string_view text) const;

  TextSink& out_;
  TextSink& err_;
  Look look_;
  std::mutex mutex_;
  std::size_t status_width_ = 0;  ///< Of the status line that is shown; under mutex_.
  /// Under mutex_.
  std::set<std::string, std::less<>> noted_;
};

}  // namespace rankd
