#include "engine/expr/input.h"

#include <algorithm>
#include <span>

#include "engine/base/check.h"

namespace rankd {

const std::uint32_t* InputColumn::Entries(std::size_t begin, std::size_t n,
                                          std::uint32_t* room) const {
  const std::uint32_t* const selected = selection == nullptr ? nullptr : selection + begin;
  if (codes == nullptr) return selected;
  const std::uint32_t* const all = codes->codes().data();
  const bool nulls = codes->has_nulls();
  if (selected == nullptr && !nulls && entry_of_code.empty()) return all + begin;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = selected == nullptr ? begin + i : selected[i];
    if (nulls && codes->IsNullAt(row)) {
      room[i] = null_entry;
    } else {
      room[i] = entry_of_code.empty() ? all[row] : entry_of_code[all[row]];
    }
  }
  return room;
}

ColumnRef InputColumn::Gather(ValueType type, std::size_t rows) const {
  // An empty selection has no address, and looks like none.
  const Column* const all = column();
  if (all == nullptr || rows == 0) return Column::Constant(type, {}, rows);
  std::vector<std::uint32_t> room(codes == nullptr ? 0 : rows);
  const std::uint32_t* const entries = Entries(0, rows, room.data());
  if (entries != nullptr) return all->Gather(std::span(entries, rows));
  RANKD_CHECK(all->size() == rows);
  return shared != nullptr ? *shared : owned;
}

const ColumnRef* FindColumn(const RowSet& rows, KeyId key) {
  const auto entries = rows.entries();
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), key,
                       [](const RowSet::Entry& entry, KeyId wanted) { return entry.key < wanted; });
  return found != entries.end() && found->key == key ? &found->column : nullptr;
}

}  // namespace rankd
