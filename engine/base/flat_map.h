// A hash map from 64-bit numbers to 32-bit ones: open addressing, linear probing, no allocation per
// entry. One thread, or many that only find.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace rankd {

class FlatMap {
 public:
  /// No value of an entry.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  FlatMap() : slots_(kFirstCapacity) {}

  /// The value of `key`, which becomes `value` (not kNone) where there was none; whether there was
  /// none.
  std::pair<std::uint32_t, bool> FindOrInsert(std::uint64_t key, std::uint32_t value) {
    Slot& slot = slots_[Place(key)];
    if (slot.value != kNone) return {slot.value, false};
    slot = Slot{key, value};
    if (++size_ > slots_.size() / 2) Grow();
    return {value, true};
  }

  /// kNone where there is none.
  std::uint32_t Find(std::uint64_t key) const { return slots_[Place(key)].value; }

  /// Calls `f(key)` for each key, in no particular order.
  template <typename F>
  void ForEachKey(F&& f) const {
    for (const Slot& slot : slots_) {
      if (slot.value != kNone) f(slot.key);
    }
  }

  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kNone;
  };
  static constexpr std::size_t kFirstCapacity = 64;

  /// The slot of `key`, or the free one it belongs into.
  std::size_t Place(std::uint64_t key) const {
    // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4): numbers that
    // follow each other, as ids do, are spread evenly.
    constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = static_cast<std::size_t>(((key ^ (key >> 32)) * kGolden) >> shift_);
    while (slots_[i].value != kNone && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old) {
      if (slot.value != kNone) slots_[Place(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  int shift_ = 64 - std::countr_zero(kFirstCapacity);  ///< Leaves the number of a slot.
  std::size_t size_ = 0;
};

}  // namespace rankd
