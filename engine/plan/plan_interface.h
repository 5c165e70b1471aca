// What a request may say to a plan: its keys, params and needs. The part of a Graph that the wire
// layer sees.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/data/schema.h"

namespace rankd {

struct PlanInterface {
  std::string name;
  std::shared_ptr<const Schema> schema;
  std::vector<KeyId> alphabetical_keys;  ///< All keys but `id`, by name: the order of fields.
  bool needs_user_id = false;
};

}  // namespace rankd
