// "Did you mean …?" over names that may be a million, for problems that may be a million.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankd {

/// Names to choose from, gathered at the first question. After a few million comparisons it says
/// nothing more: a file with that many problems has the wrong names altogether, and validation must
/// stay linear.
class Suggestions {
 public:
  using Gather = std::function<std::vector<std::string_view>()>;
  explicit Suggestions(Gather gather) : gather_(std::move(gather)) {}

  /// ", did you mean \"score\"?" or "".
  std::string DidYouMean(std::string_view name);

 private:
  Gather gather_;
  std::vector<std::string_view> known_;
  bool gathered_ = false;
  std::size_t comparisons_left_ = 4'000'000;
};

}  // namespace rankd
