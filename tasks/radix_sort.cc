#include "tasks/radix_sort.h"

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
using Lanes [[gnu::vector_size(32)]] = std::int64_t;
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(std::int64_t);
static_assert(kVeryFewKeys % (4 * kLanes) == 0);

// By reference: how vectors are handed over depends on the processor.
void Load(const std::int64_t* from, Lanes& lanes) { std::memcpy(&lanes, from, sizeof(lanes)); }
void Store(std::uint64_t* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof(lanes)); }

/// `less[i]`: how many of `keys` are less than key i. Both have room for whole groups of lanes.
RANKD_WIDE void CountLess(const std::array<std::int64_t, kVeryFewKeys>& keys, std::size_t count,
                          std::array<std::uint64_t, kVeryFewKeys>& less) {
  // Four groups by name: those of an array do not stay in registers.
  for (std::size_t begin = 0; begin < count; begin += 4 * kLanes) {
    const std::int64_t* const own = keys.data() + begin;
    Lanes a;
    Lanes b;
    Lanes c;
    Lanes d;
    Load(own, a);
    Load(own + kLanes, b);
    Load(own + 2 * kLanes, c);
    Load(own + 3 * kLanes, d);
    Lanes less_a{};
    Lanes less_b{};
    Lanes less_c{};
    Lanes less_d{};
    for (std::size_t i = 0; i < count; ++i) {
      const Lanes key = keys[i] - Lanes{};
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

void PlaceKeys(std::span<const std::uint64_t> keys, Places& places) {
  RANKD_CHECK(keys.size() <= kVeryFewKeys);
  // Signed, for one instruction compares those.
  std::array<std::int64_t, kVeryFewKeys> ordered{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ordered[i] = static_cast<std::int64_t>(keys[i] ^ std::uint64_t{1} << 63);
  }
  std::array<std::uint64_t, kVeryFewKeys> less;
  CountLess(ordered, keys.size(), less);
  // Equals have one count; the first of them comes first.
  std::array<std::uint8_t, kVeryFewKeys> placed{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    places[i] = static_cast<std::uint8_t>(less[i] + placed[less[i]]++);
  }
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
