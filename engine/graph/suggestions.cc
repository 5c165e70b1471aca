#include "engine/graph/suggestions.h"

#include "engine/base/suggest.h"

namespace rankd {

std::string Suggestions::DidYouMean(std::string_view name) {
  if (!gathered_) known_ = gather_();
  gathered_ = true;
  if (known_.size() > comparisons_left_) return {};
  comparisons_left_ -= known_.size();
  return rankd::DidYouMean(name, known_);
}

}  // namespace rankd
