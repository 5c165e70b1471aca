#include "engine/expr/regex.h"

#include <string>
#include <utility>

#include <re2/re2.h>

namespace rankd {

Result<Regex> Regex::Compile(std::string_view pattern, bool ignore_case) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_case_sensitive(!ignore_case);
  auto compiled =
      std::make_shared<const re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) return Fail(ErrorCode::kInvalidPlan, "bad regex: " + compiled->error());
  return Regex(std::move(compiled));
}

bool Regex::Matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace rankd
