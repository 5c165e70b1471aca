#include "tasks/select_rows.h"

#include <algorithm>
#include <optional>

#include "engine/base/blocks.h"
#include "engine/data/row_keys.h"
#include "tasks/radix_sort.h"

namespace rankd {
namespace {

bool ComesBefore(const KeyedRow& a, const KeyedRow& b) {
  return a.key != b.key ? a.key < b.key : a.row < b.row;
}

}  // namespace

// Keeps the best rows seen so far, twice as many as wanted at most, and looks at the others against
// the worst that is still wanted: most of a long column costs one comparison a row.
Result<void> SelectRows(const RowSet& rows, const Column& column, bool descending,
                        std::size_t count, StopToken stop, std::vector<std::uint32_t>& order) {
  RANKD_TRY(const RowKeys keys, OrderKeys(rows, column, stop));
  const std::uint64_t flip = descending ? ~std::uint64_t{0} : 0;
  const auto wanted = static_cast<std::ptrdiff_t>(count);
  std::vector<KeyedRow> best;
  best.reserve(2 * count + 1);
  std::optional<std::uint64_t> worst;  // key of the last of the wanted, once there are as many
  const auto cut = [&] {
    if (best.size() <= count) return;
    std::nth_element(best.begin(), best.begin() + wanted, best.end(), ComesBefore);
    best.resize(count);
    if (count > 0) worst = std::max_element(best.begin(), best.end(), ComesBefore)->key;
  };
  std::vector<std::uint32_t> nulls;
  const bool seen = ForEachBlock(order.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const auto number = static_cast<std::uint32_t>(row);
      if (column.has_nulls() && column.IsNullAt(rows.BaseRow(row))) {
        if (nulls.size() < count) nulls.push_back(number);
        continue;
      }
      const std::uint64_t key = keys[row] ^ flip;
      // A later row with the key of the worst comes after it.
      if (worst && key >= *worst) continue;
      best.push_back({key, number});
      if (best.size() > 2 * count) cut();
    }
  });
  if (!seen) return Cancelled();
  cut();
  std::sort(best.begin(), best.end(), ComesBefore);
  std::vector<std::uint32_t> chosen;
  chosen.reserve(count);
  for (const KeyedRow& row : best) chosen.push_back(row.row);
  for (std::size_t i = 0; i < nulls.size() && chosen.size() < count; ++i)
    chosen.push_back(nulls[i]);
  // The others move back over the places of the chosen ones, the last first.
  std::vector<std::uint32_t> places = chosen;
  std::sort(places.begin(), places.end());
  std::size_t to = order.size();
  std::size_t end = order.size();
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const std::size_t others = end - *place - 1;
    std::copy_backward(order.begin() + static_cast<std::ptrdiff_t>(*place) + 1,
                       order.begin() + static_cast<std::ptrdiff_t>(end),
                       order.begin() + static_cast<std::ptrdiff_t>(to));
    to -= others;
    end = *place;
  }
  std::copy_backward(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(end),
                     order.begin() + static_cast<std::ptrdiff_t>(to));
  std::copy(chosen.begin(), chosen.end(), order.begin());
  return {};
}

}  // namespace rankd
