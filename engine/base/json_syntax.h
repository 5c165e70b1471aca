// Where and why a text is not JSON, for messages: simdjson says whether, not where. Used only once
// it has failed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rankd {

struct JsonSyntaxError {
  std::size_t line = 1;    ///< From 1.
  std::size_t column = 1;  ///< From 1, in bytes.
  std::string what;        ///< "expected a value, not NaN"

  /// "line 2, column 7: expected …"; without the line where there is only one.
  std::string Words(bool one_line) const;
};

/// The first place where `text` leaves the grammar of RFC 8259, one value and nothing else; numbers
/// that no double and no 64-bit integer holds, and lone surrogates, are errors too. Nullopt where
/// this finds none (UTF-8 and depth are not looked at). O(bytes), no recursion.
std::optional<JsonSyntaxError> FindJsonSyntaxError(std::string_view text);

}  // namespace rankd
