// The columns a program reads, as it meets them at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/column.h"
#include "engine/data/rowset.h"

namespace rankd {

/// Row i of an input is entry `selection[i]` of `column`, or entry i without a selection. With
/// `codes`, that number is the row of a string column whose code is looked up: the entry is the
/// code itself or, with `entry_of_code`, that of the code; `null_entry` where it is null.
struct InputColumn {
  const ColumnRef* shared = nullptr;  ///< Somebody else's that outlives this: nothing is counted.
  ColumnRef owned;                    ///< Where there is no `shared`.
  const std::uint32_t* selection = nullptr;
  const Column* codes = nullptr;  ///< The rows'.
  std::vector<std::uint32_t> entry_of_code;
  std::uint32_t null_entry = 0;

  /// nullptr: every row is null.
  const Column* column() const { return shared != nullptr ? shared->get() : owned.get(); }

  /// The entries of rows [begin, begin + n): nullptr when they are begin, begin + 1, …, else n
  /// numbers, in `room` or elsewhere.
  const std::uint32_t* Entries(std::size_t begin, std::size_t n, std::uint32_t* room) const;

  /// All `rows` values.
  ColumnRef Gather(ValueType type, std::size_t rows) const;
};

/// Those of one program, in its order. A few lie in here: over a few rows an allocation costs more
/// than the work.
class InputColumns {
 public:
  explicit InputColumns(std::size_t count)
      : many_(count > kFew ? count : 0),
        all_(count > kFew ? std::span(many_) : std::span(few_).first(count)) {}
  InputColumns(const InputColumns&) = delete;
  InputColumns& operator=(const InputColumns&) = delete;

  InputColumn& operator[](std::size_t input) { return all_[input]; }
  std::size_t size() const { return all_.size(); }
  operator std::span<const InputColumn>() const { return all_; }

 private:
  static constexpr std::size_t kFew = 4;
  std::array<InputColumn, kFew> few_;
  std::vector<InputColumn> many_;
  std::span<InputColumn> all_;
};

/// The column of a key, the rows' own; nullptr when they do not carry it.
const ColumnRef* FindColumn(const RowSet& rows, KeyId key);

}  // namespace rankd
