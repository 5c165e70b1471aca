// "Did you mean …?": the nearest known name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankd {

/// The known name nearest to `name` by edit distance with transpositions (Damerau-Levenshtein,
/// optimal string alignment), the first of equals; nullopt when none is near enough to be meant
/// (more than a third of its length, and at least 2, away). Case is ignored before distance.
std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> known);

/// ", did you mean \"score\"?" or "".
std::string DidYouMean(std::string_view name, std::span<const std::string_view> known);

}  // namespace rankd
