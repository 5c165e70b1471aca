// The keys a RowSet carries, as far as validation can tell.
#pragma once

#include <span>
#include <vector>

#include "engine/base/ids.h"

namespace rankd {

/// Sorted, without repeats; always holds `id`. A small value: plans have tens of keys.
class KeySet {
 public:
  KeySet() : keys_{kIdKey} {}
  /// Any order, repeats allowed; `id` is added.
  explicit KeySet(std::span<const KeyId> keys);

  bool Contains(KeyId key) const;
  void Add(KeyId key);
  void AddAll(const KeySet& other);
  std::span<const KeyId> keys() const { return keys_; }
  bool operator==(const KeySet&) const = default;

 private:
  std::vector<KeyId> keys_;
};

}  // namespace rankd
