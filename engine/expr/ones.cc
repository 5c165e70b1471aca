#include "engine/expr/ones.h"

#include <array>
#include <bit>

#include "engine/base/wide.h"

namespace rankd {
namespace {

using Eight = std::array<std::uint8_t, 8>;

/// For eight bits: the places of the ones, then anything.
constexpr std::array<Eight, 256> kPlaces = [] {
  std::array<Eight, 256> table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    std::size_t next = 0;
    for (std::uint8_t bit = 0; bit < 8; ++bit) {
      if ((bits >> bit & 1) != 0) table[bits][next++] = bit;
    }
  }
  return table;
}();

}  // namespace

RANKD_WIDE(std::size_t, PlacesOfOnes, (std::span<const std::uint8_t> bytes, std::uint32_t* places),
           (bytes, places)) {
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::size_t bits = BitsOf(bytes.data() + i);
    const Eight& eight = kPlaces[bits];
    std::uint32_t* const next = places + count;
    for (std::size_t k = 0; k < 8; ++k) next[k] = static_cast<std::uint32_t>(i) + eight[k];
    count += static_cast<std::size_t>(std::popcount(bits));
  }
  for (; i < bytes.size(); ++i) {
    places[count] = static_cast<std::uint32_t>(i);
    count += bytes[i];
  }
  return count;
}

}  // namespace rankd
