#include "engine/data/grouping.h"

#include <cstddef>

#include "engine/base/blocks.h"
#include "engine/base/flat_map.h"
#include "engine/data/row_keys.h"

namespace rankd {
namespace {

/// Group numbers by equality keys that are small: string codes and bools.
class DenseNumbers {
 public:
  explicit DenseNumbers(std::size_t keys) : group_of_(keys, FlatMap::kNone) {}
  std::uint32_t FindOrInsert(std::uint64_t key, std::uint32_t next) {
    std::uint32_t& group = group_of_[key];
    if (group == FlatMap::kNone) group = next;
    return group;
  }

 private:
  std::vector<std::uint32_t> group_of_;
};

/// Group numbers by any equality keys.
class HashedNumbers {
 public:
  std::uint32_t FindOrInsert(std::uint64_t key, std::uint32_t next) {
    return map_.FindOrInsert(key, next).first;
  }

 private:
  FlatMap map_;
};

template <typename Numbers>
Result<Groups> Group(const RowSet& rows, const Column& column, const RowKeys& keys, Numbers numbers,
                     StopToken stop) {
  Groups groups;
  groups.of_row.resize(keys.size());
  std::uint32_t null_group = FlatMap::kNone;
  const bool done = ForEachBlock(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto next = static_cast<std::uint32_t>(groups.first_row.size());
      std::uint32_t group = next;
      if (!column.IsNullAt(rows.BaseRow(i))) {
        group = numbers.FindOrInsert(keys[i], next);
      } else if (null_group == FlatMap::kNone) {
        null_group = next;
      } else {
        group = null_group;
      }
      if (group == next) groups.first_row.push_back(static_cast<std::uint32_t>(i));
      groups.of_row[i] = group;
    }
  });
  if (!done) return Cancelled();
  return groups;
}

}  // namespace

Result<Groups> GroupRows(const RowSet& rows, KeyId key, StopToken stop) {
  const Column* column = rows.Find(key);
  if (column == nullptr) {
    Groups groups;
    groups.of_row.assign(rows.rows(), 0);
    if (rows.rows() > 0) groups.first_row.push_back(0);
    return groups;
  }
  RANKD_TRY(const RowKeys keys, EqualityKeys(rows, *column, stop));
  if (column->type() == ValueType::kBool) {
    return Group(rows, *column, keys, DenseNumbers(2), stop);
  }
  if (column->type() == ValueType::kString && column->dictionary()->size() / 4 <= rows.rows()) {
    return Group(rows, *column, keys, DenseNumbers(column->dictionary()->size()), stop);
  }
  return Group(rows, *column, keys, HashedNumbers(), stop);
}

}  // namespace rankd
