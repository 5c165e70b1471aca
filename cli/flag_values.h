// Values of flags, checked with messages of ours. For the command line's own sources only.
#pragma once

#include <cstdint>
#include <optional>
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

/// As a JSON string.
std::string InQuotes(std::string_view text);

/// Throws UsageError for what is no whole number from `low` to `high`.
std::int64_t WholeNumber(std::string_view flag, std::string_view text, std::int64_t low,
                         std::int64_t high);

/// The text of a flag, if it was given. Throws UsageError where it is empty.
std::optional<std::string> TextFlag(const CLI::App& app, const char* flag, const std::string& text);

}  // namespace rankd
