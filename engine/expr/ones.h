// Where the ones of a block's truth stand. Any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace rankd {

/// Eight bytes, 0 or 1 each, as bits: each lands in the highest byte of the product.
inline std::uint64_t BitsOf(const std::uint8_t* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word * 0x0102'0408'1020'4080 >> 56;
}

/// Writes the places of the ones among `bytes`, each 0 or 1, ascending, and gives how many there
/// are. `places` has room for bytes.size() + 8 of them. O(size) without a branch on what the bytes
/// are.
std::size_t PlacesOfOnes(std::span<const std::uint8_t> bytes, std::uint32_t* places);

}  // namespace rankd
