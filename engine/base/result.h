// Result<T>: a value or an Error, and the macro that hands errors outward.
#pragma once

#include <expected>
#include <utility>

#include "engine/base/error.h"

namespace rankd {

/// A value or the reason there is none. Mark functions that return one [[nodiscard]].
template <typename T>
using Result = std::expected<T, Error>;

/// Shorthand for a failed Result of any type.
inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}

}  // namespace rankd

#define RANKD_CONCAT_INNER(a, b) a##b
#define RANKD_CONCAT(a, b) RANKD_CONCAT_INNER(a, b)
#define RANKD_TRY_AS(keyword, result, declaration, expression)     \
  auto result = (expression);                                      \
  if (!result) keyword std::unexpected(std::move(result).error()); \
  declaration = *std::move(result)
#define RANKD_TRY_DECLARE(declaration, expression) \
  RANKD_TRY_AS(return, RANKD_CONCAT(rankd_result_, __COUNTER__), declaration, expression)
#define RANKD_TRY_ONLY(expression)                             \
  do {                                                         \
    if (auto rankd_result = (expression); !rankd_result)       \
      return std::unexpected(std::move(rankd_result).error()); \
  } while (false)
#define RANKD_TRY_PICK(a, b, chosen, ...) chosen

/// `RANKD_TRY(auto x, Parse(text));` declares x or returns the error from the enclosing function;
/// `RANKD_TRY(Check(x));` is the same for a Result<void>.
/// Not for coroutines: there, test the Result and `co_return` its error.
#define RANKD_TRY(...) \
  RANKD_TRY_PICK(__VA_ARGS__, RANKD_TRY_DECLARE, RANKD_TRY_ONLY, unused)(__VA_ARGS__)
