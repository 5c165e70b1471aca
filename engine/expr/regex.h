// RE2 behind a small value: compiled once, shared, used from any thread.
#pragma once

#include <memory>
#include <string_view>

#include "engine/base/result.h"

namespace re2 {
class RE2;
}

namespace rankd {

class Regex {
 public:
  Regex() = default;
  /// kInvalidPlan with RE2's own words when the pattern is bad.
  [[nodiscard]] static Result<Regex> Compile(std::string_view pattern, bool ignore_case);

  /// Unanchored. Only on what Compile gave.
  bool Matches(std::string_view text) const;

 private:
  explicit Regex(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace rankd
