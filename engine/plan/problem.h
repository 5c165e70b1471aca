// What validation finds: every problem of a file at once, each with the place it stands at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace rankd {

enum class Severity : std::uint8_t { kError, kWarning };

struct Problem {
  std::string pointer;  ///< JSON pointer to the offending value; "" is the whole file.
  std::string message;  ///< May end in further lines (an expression and its caret).
  Severity severity = Severity::kError;
  ErrorCode code = ErrorCode::kInvalidPlan;
};

/// Collects problems in the order found.
class Problems {
 public:
  void Add(std::string pointer, std::string message, ErrorCode code = ErrorCode::kInvalidPlan) {
    all_.push_back({std::move(pointer), std::move(message), Severity::kError, code});
    ++errors_;
  }
  void Warn(std::string pointer, std::string message) {
    all_.push_back(
        {std::move(pointer), std::move(message), Severity::kWarning, ErrorCode::kInvalidPlan});
  }
  const std::vector<Problem>& all() const { return all_; }
  /// Nullptr when there are no errors.
  const Problem* FirstError() const;
  bool has_errors() const { return errors_ != 0; }
  std::size_t error_count() const { return errors_; }

 private:
  std::vector<Problem> all_;
  std::size_t errors_ = 0;
};

/// The first error in one line, and how many more there are: "/nodes/0/op: unknown op … (and 2 more
/// problems)". `problems` must have errors.
std::string SummaryOf(const Problems& problems);

/// For people: `rankd: FILE: POINTER: message`, one line without its end; `rankd: FILE: message`
/// for a problem of the whole file; warnings say so. Further lines of the message follow indented
/// by four spaces.
std::string FormatProblem(std::string_view file, const Problem& problem);

}  // namespace rankd
