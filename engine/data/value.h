// Types and single values: params, literals, defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace rankd {

/// int: signed 64 bit; float: finite IEEE double; bool; string: valid UTF-8.
enum class ValueType : std::uint8_t { kInt, kFloat, kBool, kString };

/// "int", "float", "bool", "string".
std::string_view TypeName(ValueType type);
std::optional<ValueType> TypeFromName(std::string_view name);

/// One value, or null (monostate).
using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string>;

inline bool IsNull(const Value& value) { return value.index() == 0; }

}  // namespace rankd
