// What a body takes from outside.
#pragma once

#include <cstdint>

#include "engine/base/ids.h"

namespace rankd {

enum class ImportKind : std::uint8_t {
  kIn,     ///< `$in`, what the body's node was given.
  kCarry,  ///< `$carry` of the body, or of one around it.
  kNode,   ///< A node of a body or plan around: a capture.
};

struct Import {
  ImportKind kind = ImportKind::kIn;
  std::uint32_t levels = 0;  ///< Bodies outwards; 1 is the one its node stands in.
  NodeId node{};             ///< Of kNode: there.

  bool operator==(const Import&) const = default;
};

}  // namespace rankd
