#include "engine/base/suggest.h"

#include <array>

#include <doctest/doctest.h>

namespace rankd {
namespace {

constexpr std::array<std::string_view, 5> kOps = {"viewer", "filter", "fixed_source", "take",
                                                  "sort"};

TEST_CASE("the nearest name is suggested when it is near enough") {
  CHECK(NearestName("fixd_source", kOps) == "fixed_source");
  CHECK(NearestName("veiwer", kOps) == "viewer");
  CHECK(NearestName("SORT", kOps) == "sort");
  CHECK(NearestName("tkae", kOps) == "take");
  CHECK_FALSE(NearestName("aggregate", kOps).has_value());
  CHECK_FALSE(NearestName("", kOps).has_value());
  CHECK_FALSE(NearestName("x", kOps).has_value());
}

TEST_CASE("the first of equally near names wins") {
  constexpr std::array<std::string_view, 2> kKnown = {"abcd", "abce"};
  CHECK(NearestName("abcf", kKnown) == "abcd");
}

TEST_CASE("the question is put only when there is an answer") {
  CHECK(DidYouMean("tak", kOps) == ", did you mean \"take\"?");
  CHECK(DidYouMean("recommendation", kOps).empty());
}

}  // namespace
}  // namespace rankd
