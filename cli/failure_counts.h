// How many requests failed, by code. Values; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/base/error.h"

namespace rankd {

class FailureCounts {
 public:
  void Add(ErrorCode code) { ++counts_[static_cast<std::size_t>(code)]; }
  void Add(const FailureCounts& others);
  std::uint64_t total() const;
  /// "3 of 100 requests failed: bad_data 2, node_timeout 1", the most frequent first.
  std::string Summary(std::uint64_t requests) const;

 private:
  std::array<std::uint64_t, kErrorCodeCount> counts_{};
};

}  // namespace rankd
