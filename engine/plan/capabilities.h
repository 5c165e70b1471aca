// What a plan may demand of the build that runs it.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/plan/place.h"
#include "engine/plan/problem.h"

namespace rankd {

/// The capabilities a plan requires, as far as they could be read.
class Capabilities {
 public:
  /// Reads `capabilities_required` (nullptr: none) and checks that it is sorted, without repeats,
  /// and known to this build (else a problem with code kUnsupportedCapability).
  Capabilities(const Json* required, const Place& place, Problems& problems);

  /// Checks an `extensions` object (nullptr: none) of the plan or of a node.
  void CheckExtensions(const Json* extensions, const Place& place, Problems& problems) const;

 private:
  bool Requires(std::string_view capability) const;

  std::vector<std::string_view> required_;  ///< Sorted.
};

}  // namespace rankd
