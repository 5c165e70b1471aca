#include "engine/graph/entry_uses.h"

#include "engine/plan/object_reader.h"

namespace rankd {

bool EntryUses::UseKey(KeyId key, const Pointer& pointer) {
  const KeySpec& spec = schema_.key(key);
  return Use("key", spec.name, spec.status, warned_keys_[Index(key)], pointer);
}

bool EntryUses::UseParam(ParamId param, const Pointer& pointer) {
  const ParamSpec& spec = schema_.param(param);
  return Use("param", spec.name, spec.status, warned_params_[Index(param)], pointer);
}

bool EntryUses::Use(const char* kind, const std::string& name, EntryStatus status,
                    std::vector<bool>::reference warned, const Pointer& pointer) {
  if (status == EntryStatus::kActive) return true;
  const std::string entry = std::string("the ") + kind + " " + JsonQuoted(name);
  if (status == EntryStatus::kBlocked) {
    problems_.Add(pointer(), entry + " is blocked");
    return false;
  }
  if (!warned) problems_.Warn(pointer(), entry + " is deprecated");
  warned = true;
  return true;
}

}  // namespace rankd
