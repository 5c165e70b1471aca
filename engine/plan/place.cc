#include "engine/plan/place.h"

#include <algorithm>
#include <vector>

#include "engine/base/json.h"

namespace rankd {

std::string Place::Pointer() const {
  std::vector<const Place*> steps;
  for (const Place* place = this; place->parent_ != nullptr; place = place->parent_) {
    steps.push_back(place);
  }
  std::string pointer;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    pointer = (*step)->is_index_ ? JsonPointer(pointer, (*step)->index_)
                                 : JsonPointer(pointer, (*step)->field_);
  }
  return pointer;
}

}  // namespace rankd
