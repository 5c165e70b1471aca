#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/flat_map.h"
#include "engine/data/merge_sort.h"
#include "tasks/radix_sort.h"
#include "tests/tasks/rows.h"

namespace rankd {
namespace {

std::vector<KeyedRow> RandomKeys(Random& random, std::uint32_t count, int shape) {
  std::vector<KeyedRow> rows(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t low = random.Below(1000);
    switch (shape) {
      case 0:  // few values
        rows[i].key = low % 7;
        break;
      case 1:  // every byte counts
        rows[i].key = low * 0x9e3779b97f4a7c15ULL;
        break;
      case 2:  // the high bytes only
        rows[i].key = low << 50;
        break;
      default:  // in order already
        rows[i].key = i / 3;
    }
    rows[i].row = i;
  }
  return rows;
}

bool InOrder(const std::vector<KeyedRow>& rows) {
  return std::is_sorted(rows.begin(), rows.end(), [](const KeyedRow& a, const KeyedRow& b) {
    return a.key != b.key ? a.key < b.key : a.row < b.row;  // rows came in ascending
  });
}

TEST_CASE("rows are sorted by key, equals in the order they came in") {
  Random random(2);
  for (const std::uint32_t count :
       {0U, 1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 100U, 511U, 512U, 513U, 40000U}) {
    for (int shape = 0; shape < 4; ++shape) {
      CAPTURE(count);
      CAPTURE(shape);
      std::vector<KeyedRow> rows = RandomKeys(random, count, shape);
      CHECK(SortByKey(rows, StopToken()));
      CHECK(rows.size() == count);
      CHECK(InOrder(rows));
    }
  }
}

TEST_CASE("merging sorts any number of items, stable") {
  Random random(3);
  for (const std::uint32_t count : {0U, 1U, 15U, 16U, 17U, 31U, 33U, 1000U, 16384U, 40001U}) {
    CAPTURE(count);
    std::vector<KeyedRow> rows = RandomKeys(random, count, 0);
    CHECK(MergeSort(
        rows, [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; }, StopToken()));
    CHECK(rows.size() == count);
    CHECK(InOrder(rows));
  }
}

TEST_CASE("sorting stops when it is told to") {
  StopFlag flag;
  flag.Request();
  Random random(4);
  std::vector<KeyedRow> few = RandomKeys(random, 100, 1);
  CHECK_FALSE(SortByKey(few, StopToken(flag)));
  std::vector<KeyedRow> many = RandomKeys(random, 5000, 1);
  CHECK_FALSE(SortByKey(many, StopToken(flag)));
}

TEST_CASE("a flat map finds what was put in, whatever the keys") {
  FlatMap map;
  CHECK(map.Find(0) == FlatMap::kNone);
  for (std::uint32_t i = 0; i < 10000; ++i) {
    const std::uint64_t key = i * 0x100000000ULL;  // equal low halves
    CHECK(map.FindOrInsert(key, i) == std::pair(i, true));
    CHECK(map.FindOrInsert(key, i + 1) == std::pair(i, false));
  }
  CHECK(map.size() == 10000);
  for (std::uint32_t i = 0; i < 10000; ++i) {
    REQUIRE(map.Find(i * 0x100000000ULL) == i);
    REQUIRE(map.Find(i * 0x100000000ULL + 1) == FlatMap::kNone);
  }
  std::uint64_t sum = 0;
  map.ForEachKey([&](std::uint64_t key) { sum += key >> 32; });
  CHECK(sum == 9999 * 10000 / 2);
}

}  // namespace
}  // namespace rankd
