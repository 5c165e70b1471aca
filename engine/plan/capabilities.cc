#include "engine/plan/capabilities.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "engine/base/suggest.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

constexpr std::array<std::string_view, 1> kKnown = {"cap.rfc.0001.extensions_capabilities.v1"};

bool IsKnown(std::string_view capability) {
  return std::ranges::find(kKnown, capability) != kKnown.end();
}

}  // namespace

Capabilities::Capabilities(const Json* required, const Place& place, Problems& problems) {
  if (required == nullptr) return;
  if (!required->is_array()) {
    problems.Add(place.Pointer(),
                 "\"capabilities_required\" must be an array, not " + required->Describe());
    return;
  }
  std::optional<std::string_view> previous;
  for (std::size_t i = 0; i < required->items().size(); ++i) {
    const Json& item = required->items()[i];
    const std::optional<std::string_view> capability = item.AsString();
    const Place here(place, i);
    if (!capability) {
      problems.Add(here.Pointer(), "a capability must be a string, not " + item.Describe());
      continue;
    }
    required_.push_back(*capability);
    if (!IsKnown(*capability)) {
      problems.Add(here.Pointer(),
                   "this build lacks the capability " + JsonQuoted(*capability) +
                       DidYouMean(*capability, kKnown),
                   ErrorCode::kUnsupportedCapability);
    }
    if (previous && *capability == *previous) {
      problems.Add(here.Pointer(), "the capability " + JsonQuoted(*capability) + " is given twice");
    } else if (previous && *capability < *previous) {
      problems.Add(here.Pointer(), "capabilities must be sorted: " + JsonQuoted(*capability) +
                                       " comes before " + JsonQuoted(*previous));
    }
    previous = capability;
  }
  std::ranges::sort(required_);
}

bool Capabilities::Requires(std::string_view capability) const {
  return std::ranges::binary_search(required_, capability);
}

void Capabilities::CheckExtensions(const Json* extensions, const Place& place,
                                   Problems& problems) const {
  if (extensions == nullptr) return;
  if (!extensions->is_object()) {
    problems.Add(place.Pointer(),
                 "\"extensions\" must be an object, not " + extensions->Describe());
    return;
  }
  for (const JsonField& field : extensions->fields()) {
    const Place here(place, field.name);
    if (!Requires(field.name)) {
      problems.Add(here.Pointer(), "the extension " + JsonQuoted(field.name) +
                                       " does not stand in \"capabilities_required\"");
    } else if (IsKnown(field.name) && !field.value.is_null() &&
               !(field.value.is_object() && field.value.fields().empty())) {
      problems.Add(here.Pointer(),
                   "the payload of " + JsonQuoted(field.name) + " must be absent, null or {}");
    }
  }
}

}  // namespace rankd
