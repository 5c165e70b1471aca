#include "tasks/radix_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "engine/base/blocks.h"
#include "engine/base/wide.h"
#include "engine/data/merge_sort.h"

namespace rankd {
namespace {

/// Fewer rows than this: comparing is cheaper than counting bytes.
constexpr std::size_t kFew = 512;
constexpr std::size_t kBytes = sizeof(std::uint64_t);

using Counts = std::array<std::array<std::uint32_t, 256>, kBytes>;

std::size_t ByteOf(std::uint64_t key, std::size_t byte) { return key >> (8 * byte) & 255; }

/// So few that it is cheaper to compare each with each, without a branch on what comes out.
constexpr std::size_t kVeryFew = 64;
/// Of which so many at a time stay in registers.
constexpr std::size_t kLanes = 16;
static_assert(kVeryFew % kLanes == 0);

/// By row, with room for whole lanes: how many keys are less than its own.
using Ranks = std::array<std::uint64_t, kVeryFew>;

RANKD_WIDE void CountLess(std::span<const KeyedRow> rows, Ranks& ranks) {
  std::array<std::int64_t, kVeryFew> keys{};  // signed: so they are compared by one instruction
  for (std::size_t i = 0; i < rows.size(); ++i) {
    keys[i] = static_cast<std::int64_t>(rows[i].key ^ std::uint64_t{1} << 63);
  }
  for (std::size_t begin = 0; begin < rows.size(); begin += kLanes) {
    std::array<std::uint64_t, kLanes> less{};
    for (std::size_t other = 0; other < rows.size(); ++other) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        less[lane] += static_cast<std::uint64_t>(keys[other] < keys[begin + lane]);
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) ranks[begin + lane] = less[lane];
  }
}

void SortVeryFew(std::vector<KeyedRow>& rows) {
  std::array<KeyedRow, kVeryFew> unsorted;
  std::ranges::copy(rows, unsorted.begin());
  Ranks ranks;
  CountLess(rows, ranks);
  std::array<std::uint8_t, kVeryFew> equals{};  // by rank: rows that have it and have got a place
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t rank = ranks[i];
    rows[rank + equals[rank]++] = unsorted[i];
  }
}

}  // namespace

bool SortByKey(std::vector<KeyedRow>& rows, StopToken stop) {
  if (rows.size() <= kVeryFew) {
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
