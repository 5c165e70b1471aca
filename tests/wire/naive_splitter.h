// The stream rules written down as plainly as can be, on the whole stream at once: what the real
// splitter is checked against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/wire/splitter.h"

namespace rankd {

/// A RequestText that owns its bytes.
struct Piece {
  RequestText::Status status;
  std::string bytes;
  std::uint64_t first_line;
  bool operator==(const Piece&) const = default;
};

std::vector<Piece> SplitNaively(std::string stream, std::size_t max_request_bytes);

}  // namespace rankd
