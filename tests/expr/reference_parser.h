// The text notation read a second time, as plainly as possible. Takes more than the engine does:
// it checks no types and knows no limits.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tests/expr/reference.h"

namespace rankd::test {

/// The type of a key or a param ("P." before its name).
using TypeOfName = std::function<std::optional<ValueType>(const std::string&)>;

/// Nullopt for what is no expression. Recurses as deep as the text nests and chains.
std::optional<Tree> ParseReference(std::string_view text, const TypeOfName& type_of);

}  // namespace rankd::test
