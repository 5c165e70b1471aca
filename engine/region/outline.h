// RegionOutline: what there is to tell of a region before it runs. Values only; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/task/spec.h"
#include "engine/task/task.h"

namespace rankd {

/// How the bodies of a region come together.
enum class RegionShape : std::uint8_t {
  kOneBody,  ///< One body's end is the node's.
  kEach,     ///< The body's end is awaited once for each item.
  kLoop,     ///< The body's end leads back to where it is decided whether to go on.
};

struct RegionOutline {
  RegionShape shape = RegionShape::kOneBody;
  bool may_skip = false;             ///< The node may end without running a body.
  bool calls = false;                ///< Its body is another plan.
  std::vector<std::string> details;  ///< "over chunks of 10", "max_parallel 8": short, of any text.
  /// By body; a name is not a node id's continuation. Empty where the only body needs none.
  std::vector<std::string> body_names;
};

/// An expression as it was written, cut when it is long; "IR" for one that is no text.
std::string ExpressionText(const Json& written);

/// A whole-number param that was read: "10", or its expression.
std::string NumberText(TaskBuilder& builder, std::string_view param, const NumberParam& number);

}  // namespace rankd
