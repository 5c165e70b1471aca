#include "engine/data/value.h"

#include <array>

namespace rankd {
namespace {

constexpr std::array<std::string_view, 4> kTypeNames = {"int", "float", "bool", "string"};

}  // namespace

std::string_view TypeName(ValueType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<ValueType> TypeFromName(std::string_view name) {
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    if (kTypeNames[i] == name) return static_cast<ValueType>(i);
  }
  return std::nullopt;
}

}  // namespace rankd
