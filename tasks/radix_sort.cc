#include "tasks/radix_sort.h"

#include <array>
#include <cstddef>

#include "engine/base/blocks.h"
#include "engine/data/merge_sort.h"

namespace rankd {
namespace {

/// Fewer rows than this: comparing is cheaper than counting bytes.
constexpr std::size_t kFew = 512;
constexpr std::size_t kBytes = sizeof(std::uint64_t);

using Counts = std::array<std::array<std::uint32_t, 256>, kBytes>;

std::size_t ByteOf(std::uint64_t key, std::size_t byte) { return key >> (8 * byte) & 255; }

bool KeyLess(const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; }

}  // namespace

bool SortByKey(std::vector<KeyedRow>& rows, StopToken stop) {
  if (rows.size() < kFew) return MergeSort(rows, KeyLess, stop);
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
