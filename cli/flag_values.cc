#include "cli/flag_values.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "engine/base/json.h"
#include "engine/base/number_text.h"

namespace rankd {

bool WantedNames::Has(std::string_view name) const {
  if (arguments_ == nullptr) return true;
  return std::ranges::any_of(*arguments_, [name](std::string_view argument) {
    return argument.substr(0, argument.find('=')) == name;
  });
}

bool Given(const CLI::App& app, const char* flag) {
  // By the names as they were given: to CLI11 each comparison is five strings.
  const std::string_view name = std::string_view(flag).substr(2);
  return std::ranges::any_of(app.get_options(), [name](const CLI::Option* option) {
    const std::vector<std::string>& names = option->get_lnames();
    return option->count() > 0 && std::ranges::find(names, name) != names.end();
  });
}

std::string InQuotes(std::string_view text) {
  std::string quoted;
  AppendJsonString(quoted, text);
  return quoted;
}

std::int64_t WholeNumber(std::string_view flag, std::string_view text, std::int64_t low,
                         std::int64_t high) {
  const std::optional<std::int64_t> number = ParseInt(text);
  if (number && *number >= low && *number <= high) return *number;
  throw UsageError{std::string(flag) + " must be a whole number from " + std::to_string(low) +
                   " to " + std::to_string(high) + ", not " + InQuotes(text)};
}

std::optional<std::string> TextFlag(const CLI::App& app, const char* flag,
                                    const std::string& text) {
  if (!Given(app, flag)) return std::nullopt;
  if (text.empty()) throw UsageError{std::string(flag) + " must not be empty"};
  return text;
}

}  // namespace rankd
