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
  const CLI::Option* option = app.get_option_no_throw(flag);
  return option != nullptr && option->count() > 0;
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
