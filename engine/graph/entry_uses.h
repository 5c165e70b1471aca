// The status of keys and params a plan uses: deprecated ones are told of once, blocked ones
// refused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/data/schema.h"
#include "engine/plan/problem.h"

namespace rankd {

class EntryUses {
 public:
  using Pointer = std::function<std::string()>;

  EntryUses(const Schema& schema, Problems& problems)
      : schema_(schema),
        problems_(problems),
        warned_keys_(schema.key_count()),
        warned_params_(schema.param_count()) {}

  /// Called for each use; false (and a problem at `pointer`) for a blocked entry.
  bool UseKey(KeyId key, const Pointer& pointer);
  bool UseParam(ParamId param, const Pointer& pointer);

 private:
  bool Use(const char* kind, const std::string& name, EntryStatus status,
           std::vector<bool>::reference warned, const Pointer& pointer);

  const Schema& schema_;
  Problems& problems_;
  std::vector<bool> warned_keys_;
  std::vector<bool> warned_params_;
};

}  // namespace rankd
