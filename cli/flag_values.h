// Flags given to CLI11 and asked of it, their values checked with messages of ours. For the command
// line's own sources only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace rankd {

/// A command line that is wrong: one line without prefix. Thrown while it is checked only, next to
/// CLI11's own exceptions.
struct UsageError {
  std::string message;
};

/// The names of flags and commands that CLI11 is to know. Making one costs it microseconds, all of
/// them a tenth of what a run of one request takes; so a command line is parsed with those that it
/// has in it first, and with all only where that fails, for help and for "did you mean".
class WantedNames {
 public:
  static WantedNames All() { return WantedNames(nullptr); }
  /// `arguments` must outlive it.
  static WantedNames Of(const std::span<const std::string>& arguments) {
    return WantedNames(&arguments);
  }
  /// `name`: "--flag" or "command".
  bool Has(std::string_view name) const;

 private:
  explicit WantedNames(const std::span<const std::string>* arguments) : arguments_(arguments) {}
  const std::span<const std::string>* arguments_;
};

/// Whether a flag was given.
bool Given(const CLI::App& app, const char* flag);

/// As a JSON string.
std::string InQuotes(std::string_view text);

/// Throws UsageError for what is no whole number from `low` to `high`.
std::int64_t WholeNumber(std::string_view flag, std::string_view text, std::int64_t low,
                         std::int64_t high);

/// The text of a flag, if it was given. Throws UsageError where it is empty.
std::optional<std::string> TextFlag(const CLI::App& app, const char* flag, const std::string& text);

}  // namespace rankd
