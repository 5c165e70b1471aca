#include "engine/expr/lookup.h"

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/expr/evaluate.h"

namespace rankd {
namespace {

/// A dictionary with more entries than this a row is not worth a table of its size.
constexpr std::size_t kTableEntriesPerRow = 16;
constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

/// The codes that occur in `rows`, in order of appearance; `entry_of_code` becomes their numbers.
/// Gives up, with too few codes, when `stop` is seen.
std::vector<std::uint32_t> DistinctCodes(const Column& column, const RowSet& rows,
                                         std::vector<std::uint32_t>& entry_of_code,
                                         const StopToken& stop) {
  entry_of_code.assign(column.dictionary()->size(), kUnseen);
  std::vector<std::uint32_t> distinct;
  const auto codes = column.codes();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (i % kBlockRows == 0 && stop.stop_requested()) break;
    const std::uint32_t row = rows.BaseRow(i);
    if (column.IsNullAt(row)) continue;
    std::uint32_t& entry = entry_of_code[codes[row]];
    if (entry != kUnseen) continue;
    entry = static_cast<std::uint32_t>(distinct.size());
    distinct.push_back(codes[row]);
  }
  return distinct;
}

}  // namespace

Result<InputColumn> EvaluateLookup(const Lookup& lookup, const RowSet& rows,
                                   const Bindings& bindings, const StopToken& stop) {
  const std::uint32_t* const selection = rows.selection() ? rows.selection()->data() : nullptr;
  const ColumnRef* const found = FindColumn(rows, lookup.key);
  const Column* const column = found == nullptr ? nullptr : found->get();
  RANKD_CHECK(column == nullptr || column->type() == ValueType::kString);
  InputColumn strings;
  strings.shared = found;
  InputColumn out;
  if (column != nullptr && lookup.memory != nullptr) {
    if (const ColumnRef* known = lookup.memory->Find(column->dictionary(), column->has_nulls())) {
      out.shared = known;
      out.codes = column;
      out.selection = selection;
      out.null_entry = static_cast<std::uint32_t>(column->dictionary()->size());
      return out;
    }
  }
  const std::size_t entries = column == nullptr ? 0 : column->dictionary()->size();
  if (column == nullptr || entries / kTableEntriesPerRow > rows.rows()) {
    strings.selection = selection;
    RANKD_TRY(out.owned,
              EvaluateRoot(lookup.program, std::span(&strings, 1), bindings, rows.rows(), stop));
    return out;
  }
  std::vector<std::uint32_t> codes;
  if (entries <= rows.rows()) {
    codes.resize(entries);
    std::iota(codes.begin(), codes.end(), 0U);
  } else {
    codes = DistinctCodes(*column, rows, out.entry_of_code, stop);
    if (stop.stop_requested()) return Cancelled();
  }
  out.codes = column;
  out.selection = selection;
  out.null_entry = static_cast<std::uint32_t>(codes.size());
  Bitmap validity;
  if (column->has_nulls()) {
    codes.push_back(0);
    validity = Bitmap(codes.size(), true);
    validity.Clear(codes.size() - 1);
  }
  const std::size_t count = codes.size();
  strings.shared = nullptr;
  strings.owned =
      Column::Make(Column::Strings{std::move(codes), column->dictionary()}, std::move(validity));
  RANKD_TRY(out.owned, EvaluateRoot(lookup.program, std::span(&strings, 1), bindings, count, stop));
  if (lookup.memory != nullptr && entries <= rows.rows()) {
    lookup.memory->Keep(column->dictionary(), column->has_nulls(), out.owned);
  }
  return out;
}

}  // namespace rankd
