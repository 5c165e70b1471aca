// The fields of a request: which there are, and which of them a text gives.
// Seen by this layer's sources only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <simdjson.h>

#include "engine/base/result.h"

namespace rankd {

enum class RequestField : std::uint8_t {
  kRequestId,
  kUserId,
  kPlan,
  kParams,
  kParamOverrides,
  kOutputKeys,
  kDeadlineMs,
  kNodeTimeoutMs,
  kTrace,
  kCpu,
};
inline constexpr std::size_t kRequestFieldCount = 10;

std::string_view FieldName(RequestField field);

/// The fields one request gives. Views of the parsed text.
class RequestFields {
 public:
  /// Takes what is there, all of it whatever is wrong; then fails with invalid_request when a field
  /// is unknown (and these are not allowed) or is given twice, the first such one. Of a field given
  /// twice the first value stands.
  [[nodiscard]] Result<void> Collect(const simdjson::dom::object& object, bool allow_unknown);

  /// Nullptr when absent or null.
  const simdjson::dom::element* Find(RequestField field) const {
    const Slot& slot = slots_[static_cast<std::size_t>(field)];
    return slot.given && !slot.value.is_null() ? &slot.value : nullptr;
  }

 private:
  struct Slot {
    bool given = false;
    simdjson::dom::element value;
  };
  std::array<Slot, kRequestFieldCount> slots_;
};

}  // namespace rankd
