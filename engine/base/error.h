// The one error type of the engine. Values only, owned by whoever holds them, any thread.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankd {

/// The closed list of error codes a user can meet; the names are part of the response format.
enum class ErrorCode : std::uint8_t {
  kInvalidJson,
  kInvalidRequest,
  kRequestTooLarge,
  kUnknownPlan,
  kInvalidPlan,
  kUnsupportedCapability,
  kInvalidParam,
  kMissingParam,
  kDeadlineExceeded,
  kNodeTimeout,
  kRedisUnavailable,
  kRedisTimeout,
  kRedisError,
  kBadData,
  kNullValue,
  kDuplicateKey,
  kTaskFailed,
  kLimitExceeded,
  kCancelled,
  kInternal,
};

inline constexpr std::size_t kErrorCodeCount = 20;

/// By the value of ErrorCode.
using ErrorCodes = std::bitset<kErrorCodeCount>;

/// The code as it stands in a response: `ErrorCode::kBadData` is "bad_data".
std::string_view CodeName(ErrorCode code);

/// The inverse of CodeName; nullopt for a name that is no code.
std::optional<ErrorCode> CodeFromName(std::string_view name);

/// What went wrong, where, and what to do about it.
///
/// It has constructors on purpose: g++ 12 destroys aggregate temporaries twice when they are
/// created in a full expression that holds `co_await`.
class Error {
 public:
  Error(ErrorCode error_code, std::string text) : code(error_code), message(std::move(text)) {}

  /// The same error, blamed on a JSON value: `where` is a pointer such as "/nodes/1/params/expr".
  Error At(std::string where) && {
    pointer = std::move(where);
    return std::move(*this);
  }

  ErrorCode code;
  std::string message;
  std::string pointer;  ///< JSON pointer into the file at fault; empty where there is none.
  std::string node;     ///< Id of the node to blame; filled by the run.
  std::string op;       ///< That node's op.
};

}  // namespace rankd
