#include "engine/task/key_set.h"

#include <algorithm>
#include <iterator>

namespace rankd {

KeySet::KeySet(std::span<const KeyId> keys) : keys_(keys.begin(), keys.end()) {
  keys_.push_back(kIdKey);
  std::ranges::sort(keys_);
  const auto repeats = std::ranges::unique(keys_);
  keys_.erase(repeats.begin(), repeats.end());
}

bool KeySet::Contains(KeyId key) const { return std::ranges::binary_search(keys_, key); }

void KeySet::Add(KeyId key) {
  const auto place = std::ranges::lower_bound(keys_, key);
  if (place == keys_.end() || *place != key) keys_.insert(place, key);
}

void KeySet::AddAll(const KeySet& other) {
  // The common case, a concat of like rows, allocates nothing.
  if (std::ranges::includes(keys_, other.keys_)) return;
  std::vector<KeyId> merged;
  merged.reserve(keys_.size() + other.keys_.size());
  std::ranges::set_union(keys_, other.keys_, std::back_inserter(merged));
  keys_ = std::move(merged);
}

}  // namespace rankd
