// A stable sort that can be stopped. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/blocks.h"

namespace rankd {

/// Sorts a few neighbouring items by insertion, stable.
template <typename T, typename Less>
void InsertionSort(std::span<T> items, Less less) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    T item = std::move(items[i]);
    std::size_t place = i;
    for (; place > 0 && less(item, items[place - 1]); --place) {
      items[place] = std::move(items[place - 1]);
    }
    items[place] = std::move(item);
  }
}

/// Sorts `items` by `less`, stable: short sorted runs, merged bottom-up. False, with the items in
/// no particular state, once a stop was seen. (std::stable_sort can neither be stopped nor, with
/// this library, be compiled by clang without a warning.)
template <typename T, typename Less>
[[nodiscard]] bool MergeSort(std::vector<T>& items, Less less, StopToken stop) {
  constexpr std::size_t kRun = 16;
  static_assert(kStopCheckRows % kRun == 0);
  const std::size_t count = items.size();
  const bool sorted = ForEachBlock(count, stop, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; begin += kRun) {
      InsertionSort(std::span(items).subspan(begin, std::min(kRun, end - begin)), less);
    }
  });
  if (!sorted) return false;
  std::vector<T> merged(count > kRun ? count : 0);
  for (std::size_t width = kRun; width < count; width *= 2) {
    std::size_t left = 0;
    std::size_t right = 0;
    std::size_t left_end = 0;
    std::size_t right_end = 0;
    const bool done = ForEachBlock(count, stop, [&](std::size_t begin, std::size_t end) {
      for (std::size_t out = begin; out < end; ++out) {
        if (out == right_end) {  // the next two runs
          left = out;
          left_end = right = std::min(count, out + width);
          right_end = std::min(count, out + 2 * width);
        }
        const bool take_left =
            right == right_end || (left < left_end && !less(items[right], items[left]));
        merged[out] = std::move(items[take_left ? left++ : right++]);
      }
    });
    if (!done) return false;
    items.swap(merged);
  }
  return true;
}

}  // namespace rankd
