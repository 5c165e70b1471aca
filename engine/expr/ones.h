// Where the ones of a block's truth stand. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankd {

/// Writes the places of the ones among `bytes`, each 0 or 1, ascending, and gives how many there
/// are. `places` has room for bytes.size() + 8 of them. O(size) without a branch on what the bytes
/// are.
std::size_t PlacesOfOnes(std::span<const std::uint8_t> bytes, std::uint32_t* places);

}  // namespace rankd
