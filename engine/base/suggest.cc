#include "engine/base/suggest.h"

#include <algorithm>
#include <vector>

namespace rankd {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Optimal string alignment distance, case folded; `limit` + 1 when it is greater than `limit`.
std::size_t Distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t longer = std::max(a.size(), b.size());
  if (longer - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = Lower(a[i - 1]) == Lower(b[j - 1]) ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
          Lower(a[i - 2]) == Lower(b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit + 1);
}

/// Longer names are not compared: the distance costs the product of the lengths.
constexpr std::size_t kLongestName = 256;

}  // namespace

std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> known) {
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  std::optional<std::string_view> nearest;
  std::size_t limit = std::max<std::size_t>(2, name.size() / 3);
  for (const std::string_view candidate : known) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t distance = Distance(name, candidate, limit);
    // As many edits as it has letters: another word altogether.
    if (distance > limit || distance >= std::max(name.size(), candidate.size())) continue;
    nearest = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return nearest;
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> known) {
  const std::optional<std::string_view> nearest = NearestName(name, known);
  if (!nearest) return {};
  return ", did you mean \"" + std::string(*nearest) + "\"?";
}

}  // namespace rankd
