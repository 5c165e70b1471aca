// simdjson's DOM under the rules of requests. Seen by this layer's sources only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "engine/base/result.h"

namespace rankd {

/// Keeps its memory between texts, apart from what large ones took. One thread.
class StrictJson {
 public:
  /// Brackets inside brackets; more is invalid_json.
  static constexpr std::size_t kMaxDepth = 64;

  StrictJson();

  /// The root, valid until the next call. kInvalidJson for what is not one RFC 8259 text in UTF-8,
  /// for lone surrogates, for integer literals outside -2^63 … 2^64-1 and decimals beyond a double,
  /// and for nesting over kMaxDepth; kRequestTooLarge for what simdjson cannot take (4 GiB),
  /// kLimitExceeded for what there is no memory for.
  [[nodiscard]] Result<simdjson::dom::element> Parse(std::string_view text);

 private:
  bool Reset();
  Result<simdjson::dom::element> ParseDeep(std::string_view text);

  simdjson::dom::parser parser_;
  std::unique_ptr<simdjson::dom::parser> deep_parser_;  ///< For texts nested as deep as allowed.
};

/// "an object", "the string \"abc\"", "7": for error messages; long values are cut.
std::string Describe(const simdjson::dom::element& value);

}  // namespace rankd
