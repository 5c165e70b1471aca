#include "tasks/radix_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "engine/base/blocks.h"
#include "engine/base/check.h"
#include "engine/base/wide.h"
#include "engine/data/merge_sort.h"

namespace rankd {
namespace {

/// Fewer rows than this: comparing is cheaper than counting bytes.
constexpr std::size_t kFew = 512;
constexpr std::size_t kBytes = sizeof(std::uint64_t);

using Counts = std::array<std::array<std::uint32_t, 256>, kBytes>;

std::size_t ByteOf(std::uint64_t key, std::size_t byte) { return key >> (8 * byte) & 255; }

/// Four keys; of gcc's and clang's vectors, for by itself gcc puts others side by side here.
template <typename T>
struct LanesOf {
  using Type [[gnu::vector_size(32)]] = T;
};
template <typename T>
using Lanes = typename LanesOf<T>::Type;
using Counts4 = Lanes<std::int64_t>;
constexpr std::size_t kLanes = sizeof(Counts4) / sizeof(std::int64_t);
constexpr std::size_t kGroup = 4 * kLanes;
static_assert(kVeryFewKeys % kGroup == 0);

// By reference: how vectors are handed over depends on the processor.
template <typename T>
void Load(const T* from, Lanes<T>& lanes) {
  std::memcpy(&lanes, from, sizeof(lanes));
}
void Store(std::uint64_t* to, const Counts4& lanes) { std::memcpy(to, &lanes, sizeof(lanes)); }

/// `less[i]`: how many of `keys` are less than key i. Both have room for whole groups of lanes.
template <typename T>
void CountLessOf(const VeryFew<T>& keys, std::size_t count, VeryFew<std::uint64_t>& less) {
  // Four by name: those of an array do not stay in registers.
  for (std::size_t begin = 0; begin < count; begin += kGroup) {
    const T* const own = keys.data() + begin;
    Lanes<T> a;
    Lanes<T> b;
    Lanes<T> c;
    Lanes<T> d;
    Load(own, a);
    Load(own + kLanes, b);
    Load(own + 2 * kLanes, c);
    Load(own + 3 * kLanes, d);
    Counts4 less_a{};
    Counts4 less_b{};
    Counts4 less_c{};
    Counts4 less_d{};
    for (std::size_t i = 0; i < count; ++i) {
      const Lanes<T> key = keys[i] - Lanes<T>{};
      less_a -= key < a;  // true is -1
      less_b -= key < b;
      less_c -= key < c;
      less_d -= key < d;
    }
    Store(less.data() + begin, less_a);
    Store(less.data() + begin + kLanes, less_b);
    Store(less.data() + begin + 2 * kLanes, less_c);
    Store(less.data() + begin + 3 * kLanes, less_d);
  }
}

RANKD_WIDE(void, CountLess,
           (const VeryFew<std::int64_t>& keys, std::size_t count, VeryFew<std::uint64_t>& less),
           (keys, count, less)) {
  CountLessOf(keys, count, less);
}
RANKD_WIDE(void, CountLess,
           (const VeryFew<double>& keys, std::size_t count, VeryFew<std::uint64_t>& less),
           (keys, count, less)) {
  CountLessOf(keys, count, less);
}

template <typename T>
void PlaceOf(VeryFew<T>& keys, std::size_t count, Places& places) {
  RANKD_CHECK(count <= kVeryFewKeys);
  std::fill(keys.begin() + count, keys.begin() + (count + kGroup - 1) / kGroup * kGroup, T{});
  VeryFew<std::uint64_t> less;
  CountLess(keys, count, less);
  // Equals have one count; the first of them comes first.
  VeryFew<std::uint8_t> placed{};
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = static_cast<std::uint8_t>(less[i] + placed[less[i]]++);
  }
}

void SortVeryFew(std::vector<KeyedRow>& rows) {
  std::array<KeyedRow, kVeryFewKeys> unsorted;
  std::array<std::uint64_t, kVeryFewKeys> keys;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    unsorted[i] = rows[i];
    keys[i] = rows[i].key;
  }
  Places places;
  PlaceKeys(std::span(keys).first(rows.size()), places);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[places[i]] = unsorted[i];
}

}  // namespace

void PlaceKeys(VeryFew<std::int64_t>& keys, std::size_t count, Places& places) {
  PlaceOf(keys, count, places);
}

void PlaceKeys(VeryFew<double>& keys, std::size_t count, Places& places) {
  PlaceOf(keys, count, places);
}

void PlaceKeys(std::span<const std::uint64_t> keys, Places& places) {
  // Signed, for one instruction compares those.
  VeryFew<std::int64_t> ordered;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ordered[i] = static_cast<std::int64_t>(keys[i] ^ std::uint64_t{1} << 63);
  }
  PlaceOf(ordered, keys.size(), places);
}

bool SortByKey(std::vector<KeyedRow>& rows, StopToken stop) {
  if (rows.size() <= kVeryFewKeys) {
    SortVeryFew(rows);
    return true;
  }
  if (rows.size() < kFew) {
    const auto less = [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; };
    return MergeSort(rows, less, stop);
  }
  Counts counts{};
  bool sorted = true;
  std::uint64_t previous = 0;
  const bool counted = ForEachBlock(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t key = rows[i].key;
      for (std::size_t byte = 0; byte < kBytes; ++byte) ++counts[byte][ByteOf(key, byte)];
      sorted &= previous <= key;
      previous = key;
    }
  });
  if (!counted) return false;
  if (sorted) return true;

  std::vector<KeyedRow> moved(rows.size());
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    std::array<std::uint32_t, 256>& place = counts[byte];
    if (place[ByteOf(rows.front().key, byte)] == rows.size()) continue;
    std::uint32_t next = 0;
    for (std::uint32_t& count : place) {
      const std::uint32_t begin = next;
      next += count;
      count = begin;
    }
    const bool done = ForEachBlock(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) moved[place[ByteOf(rows[i].key, byte)]++] = rows[i];
    });
    if (!done) return false;
    rows.swap(moved);
  }
  return true;
}

}  // namespace rankd
