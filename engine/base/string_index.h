// Finds strings that somebody else holds by number: open addressing, linear probing, no allocation
// per entry and no copy of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace rankd {

/// The construction of wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash): 16 bytes a step go
/// through one multiplication to 128 bits. Not for what must withstand chosen collisions, nor for
/// files: it differs between machines.
inline std::uint64_t HashText(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  const auto mix = [](std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const auto load = [](const char* from, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    return value;
  };
  constexpr std::uint64_t kFirst = 0xa0761d6478bd642fULL;
  constexpr std::uint64_t kSecond = 0xe7037ed1a0b428dbULL;
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t seed = kFirst ^ left;
  for (; left > 16; left -= 16, at += 16) {
    seed = mix(load(at, 8) ^ kSecond, load(at + 8, 8) ^ seed);
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {
    a = load(at, 8);
    b = load(at + left - 8, 8);
  } else if (left >= 4) {
    a = load(at, 4);
    b = load(at + left - 4, 4);
  } else if (left > 0) {
    a = static_cast<unsigned char>(at[0]) |
        std::uint64_t{static_cast<unsigned char>(at[left / 2])} << 8 |
        std::uint64_t{static_cast<unsigned char>(at[left - 1])} << 16;
  }
  return mix(a ^ kSecond, b ^ seed);
}

/// Numbers from 0 … 2^32-2; the owner tells the text of one by `text_of(number)`. One thread, or
/// many that only find.
class StringIndex {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// The number of `text`, or kNone.
  template <typename TextOf>
  std::uint32_t Find(std::string_view text, TextOf&& text_of) const {
    if (slots_.empty()) return kNone;
    return slots_[Place(text, HashOf(text), text_of)].number;
  }

  /// The number of `text`, which is `number` from now on if it had none; and whether it had none.
  template <typename TextOf>
  std::pair<std::uint32_t, bool> FindOrInsert(std::string_view text, std::uint32_t number,
                                              TextOf&& text_of) {
    if (slots_.size() < 2 * (size_ + 1)) Grow();
    const std::uint32_t hash = HashOf(text);
    Slot& slot = slots_[Place(text, hash, text_of)];
    if (slot.number != kNone) return {slot.number, false};
    slot = {hash, number};
    ++size_;
    return {number, true};
  }

  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = kNone;
  };
  static constexpr std::size_t kFirstCapacity = 32;

  static std::uint32_t HashOf(std::string_view text) {
    return static_cast<std::uint32_t>(HashText(text));
  }

  /// The slot of `text`, or the free one where it belongs.
  template <typename TextOf>
  std::size_t Place(std::string_view text, std::uint32_t hash, TextOf&& text_of) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.number == kNone) return i;
      if (slot.hash == hash && text_of(slot.number) == text) return i;
    }
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kFirstCapacity : 2 * slots_.size());
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      std::size_t i = slot.hash & mask;
      while (slots_[i].number != kNone) i = (i + 1) & mask;
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< A power of two, at most half full.
  std::size_t size_ = 0;
};

}  // namespace rankd
