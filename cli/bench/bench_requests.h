// The requests a bench cycles through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/wire/request.h"

namespace rankd {

struct BenchRequest {
  std::string text;
  std::uint64_t first_line = 1;
};

struct BenchRequests {
  std::vector<BenchRequest> all;  ///< At least one; each parses.
  /// The plans they run, in alphabetical order, joined by commas.
  std::string plan;
};

/// The requests of a file, in the form of stdin, or `{"user_id":1}` without one. Fails, with a
/// message that names file and line, for the first that does not parse, and for a file that cannot
/// be read or holds none.
[[nodiscard]] Result<BenchRequests> LoadBenchRequests(const std::optional<std::string>& file,
                                                      std::size_t max_request_bytes,
                                                      RequestParser& parser);

}  // namespace rankd
