// What a lookup gave for the dictionary before: rows that a plan holds have the same one in every
// run, and what depends on nothing else need not be computed again.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "engine/base/thread_slot.h"
#include "engine/data/column.h"

namespace rankd {

/// One dictionary and its values for each of some threads (thread_slot.h); others have none. It
/// holds the dictionary, lest another comes to lie where it lay. Any thread.
class LookupMemory {
 public:
  /// The values kept for `dictionary`, or nullptr.
  const ColumnRef* Find(const DictionaryRef& dictionary, bool with_null) const {
    if (ThreadSlot() == kNoThreadSlot) return nullptr;
    const Slot& slot = slots_[ThreadSlot()];
    const bool known = slot.dictionary == dictionary && slot.with_null == with_null;
    return known && slot.values != nullptr ? &slot.values : nullptr;
  }

  /// `values`: of each entry, and, `with_null`, of null. Only what comes a second time is kept, by
  /// its address: those of replies come once, though one may come to lie where another lay. No
  /// large ones, for the last is held until another takes its place.
  void Keep(const DictionaryRef& dictionary, bool with_null, const ColumnRef& values) {
    if (ThreadSlot() == kNoThreadSlot || dictionary->size() > kMostEntries) return;
    Slot& slot = slots_[ThreadSlot()];
    if (slot.last == dictionary.get()) {
      slot.dictionary = dictionary;
      slot.values = values;
      slot.with_null = with_null;
    }
    slot.last = dictionary.get();
  }

 private:
  static constexpr std::size_t kMostEntries = 4096;
  static constexpr std::size_t kCacheLine = 64;

  struct alignas(kCacheLine) Slot {
    const Dictionary* last = nullptr;  ///< That Keep was called for; only to be compared.
    DictionaryRef dictionary;
    ColumnRef values;
    bool with_null = false;
  };
  std::array<Slot, kThreadSlots> slots_;
};

}  // namespace rankd
