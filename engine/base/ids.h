// Dense numbers for what is looked up by name only while a graph is built.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankd {

enum class NodeId : std::uint32_t {};      ///< A node of one Graph, 0…node_count-1.
enum class KeyId : std::uint32_t {};       ///< A key of one Schema, 0…key_count-1; `id` is 0.
enum class ParamId : std::uint32_t {};     ///< A param of one Schema, 0…param_count-1.
enum class EndpointId : std::uint32_t {};  ///< An endpoint of one EndpointTable.

/// The key every row carries: an int, never null, never written by a plan.
inline constexpr KeyId kIdKey{0};

template <typename Id>
constexpr std::size_t Index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace rankd
