#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/blocks.h"
#include "engine/base/json.h"
#include "engine/base/suggest.h"
#include "engine/data/row_keys.h"
#include "engine/task/spec.h"
#include "tasks/common_params.h"
#include "tasks/radix_sort.h"
#include "tasks/select_rows.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

enum class Order : std::uint8_t { kAscending, kDescending };

struct SortKey {
  KeyId key;
  Order order = Order::kAscending;
  ValueType type = ValueType::kInt;  ///< For an estimate.
};

/// `value`, to be sorted descending.
std::int64_t Reversed(std::int64_t value) { return ~value; }
double Reversed(double value) { return -value; }

/// The base rows in the order of one key without nulls, where there are at most kVeryFewKeys;
/// nullopt: they are in it already.
template <typename T>
std::optional<Selection> OrderOfVeryFew(const RowSet& rows, std::span<const T> slots,
                                        Order direction) {
  const std::size_t count = rows.rows();
  VeryFew<std::uint32_t> base_rows;
  if (rows.selection()) {
    std::ranges::copy(*rows.selection(), base_rows.begin());
  } else {
    std::iota(base_rows.begin(), base_rows.begin() + count, 0U);
  }
  VeryFew<T> keys;
  if (direction == Order::kDescending) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = Reversed(slots[base_rows[i]]);
  } else {
    for (std::size_t i = 0; i < count; ++i) keys[i] = slots[base_rows[i]];
  }
  Places places;
  PlaceKeys(keys, count, places);
  Selection order(count);
  bool moved = false;
  for (std::size_t i = 0; i < count; ++i) {
    order[places[i]] = base_rows[i];
    moved |= places[i] != i;
  }
  return moved ? std::optional(std::move(order)) : std::nullopt;
}

/// Sorts `order` (row numbers) by one key: stable, nulls last. False when stopped.
Result<void> SortRows(const RowSet& rows, const Column& column, Order direction, StopToken stop,
                      std::vector<std::uint32_t>& order) {
  const std::uint64_t flip = direction == Order::kDescending ? ~std::uint64_t{0} : 0;
  RANKD_TRY(const RowKeys keys, OrderKeys(rows, column, stop));
  std::vector<KeyedRow> present;
  std::vector<std::uint32_t> nulls;
  const auto keyed = [&](std::uint32_t row) { return KeyedRow{keys[row] ^ flip, row}; };
  if (!column.has_nulls()) {
    present.resize(order.size());
    std::ranges::transform(order, present.begin(), keyed);
  } else {
    present.reserve(order.size());
    const bool parted = ForEachBlock(order.size(), stop, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t row = order[i];
        if (column.IsNullAt(rows.BaseRow(row))) {
          nulls.push_back(row);
        } else {
          present.push_back(keyed(row));
        }
      }
    });
    if (!parted) return Cancelled();
  }
  if (!SortByKey(present, stop)) return Cancelled();
  const auto rest = std::ranges::transform(present, order.begin(), &KeyedRow::row).out;
  std::ranges::copy(nulls, rest);
  return {};
}

/// A row fewer than this many rows for each one that is wanted: sorting all is as cheap.
constexpr std::size_t kFewLeading = 4;

/// A row, when all are sorted, and when a few are selected. Ints seldom use all of their bytes, by
/// which they are sorted.
constexpr double kSortIntNanoseconds = 20;
constexpr double kSortNanoseconds = 40;
constexpr double kSelectNanoseconds = 5;

/// Stable in both orders, nulls last in both.
class Sort final : public CpuTask {
 public:
  /// Only the first `leading` rows have to stand in their order.
  explicit Sort(std::vector<SortKey> keys, std::optional<std::size_t> leading = std::nullopt)
      : keys_(std::move(keys)), leading_(leading) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override { return inputs[0]; }

  Result<RowSet> Run(const NodeContext& context) const override {
    const RowSet& rows = context.inputs[0];
    if (rows.rows() < 2) return context.inputs.Take(0);
    if (rows.rows() <= kVeryFewKeys && keys_.size() == 1) {
      const Column* column = rows.Find(keys_.front().key);
      if (column == nullptr) return context.inputs.Take(0);  // all null
      if (column->type() == ValueType::kInt && !column->has_nulls()) {
        return WithVeryFew(context, column->ints());
      }
      if (column->type() == ValueType::kFloat && !column->has_nulls()) {
        return WithVeryFew(context, column->floats());
      }
    }
    if (leading_ && *leading_ < rows.rows() / kFewLeading) return SelectLeading(context);
    std::vector<std::uint32_t> order(rows.rows());
    std::iota(order.begin(), order.end(), 0U);
    // The least significant key first: each later sort keeps the order of its equals.
    for (std::size_t i = keys_.size(); i-- > 0;) {
      const Column* column = rows.Find(keys_[i].key);
      if (column == nullptr) continue;  // all null
      RANKD_TRY(SortRows(rows, *column, keys_[i].order, context.stop, order));
    }
    return WithOrder(context, order);
  }

  CpuCost cost() const override {
    if (leading_) return {.ns_per_row = kSelectNanoseconds};
    CpuCost cost;
    for (const SortKey& key : keys_) {
      cost.ns_per_row += key.type == ValueType::kInt ? kSortIntNanoseconds : kSortNanoseconds;
    }
    return cost;
  }

  std::unique_ptr<const CpuTask> ForLeadingRows(std::size_t rows) const override {
    // Of several keys the first would have to be selected by with all its equals.
    return keys_.size() == 1 ? std::make_unique<Sort>(keys_, rows) : nullptr;
  }

 private:
  template <typename T>
  RowSet WithVeryFew(const NodeContext& context, std::span<const T> slots) const {
    std::optional<Selection> order = OrderOfVeryFew(context.inputs[0], slots, keys_.front().order);
    if (!order) return context.inputs.Take(0);
    return context.inputs.Take(0).WithSelection(
        std::make_shared<const Selection>(*std::move(order)));
  }

  /// The rows with the first ones in their order; those that stood in their places take theirs.
  Result<RowSet> SelectLeading(const NodeContext& context) const {
    const RowSet& rows = context.inputs[0];
    const Column* column = rows.Find(keys_.front().key);
    if (column == nullptr) return context.inputs.Take(0);  // all null
    const bool descending = keys_.front().order == Order::kDescending;
    RANKD_TRY(const std::vector<std::uint32_t> chosen,
              SelectRows(rows, *column, descending, *leading_, context.stop));
    std::vector<std::uint32_t> order;
    if (rows.selection()) {
      order = *rows.selection();
    } else {
      order.resize(rows.rows());
      std::iota(order.begin(), order.end(), 0U);
    }
    std::vector<bool> stays_in_front(chosen.size());
    for (const std::uint32_t row : chosen) {
      if (row < chosen.size()) stays_in_front[row] = true;
    }
    std::size_t front = 0;
    for (const std::uint32_t row : chosen) {
      if (row < chosen.size()) continue;
      while (stays_in_front[front]) ++front;
      order[row] = rows.BaseRow(front++);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) order[i] = rows.BaseRow(chosen[i]);
    return context.inputs.Take(0).WithSelection(
        std::make_shared<const Selection>(std::move(order)));
  }

  static RowSet WithOrder(const NodeContext& context, std::vector<std::uint32_t>& order) {
    const RowSet& rows = context.inputs[0];
    if (std::is_sorted(order.begin(), order.end())) return context.inputs.Take(0);
    if (rows.selection()) {
      for (std::uint32_t& row : order) row = (*rows.selection())[row];
    }
    return context.inputs.Take(0).WithSelection(
        std::make_shared<const Selection>(std::move(order)));
  }

  std::vector<SortKey> keys_;
  std::optional<std::size_t> leading_;
};

constexpr std::string_view kAsc = "asc";
constexpr std::string_view kDesc = "desc";

/// One element of `keys`; `at` is its pointer.
std::optional<SortKey> ReadSortKey(TaskBuilder& builder, const Json& value, const std::string& at) {
  if (!value.is_object()) {
    builder.Problem(at,
                    "a sort key must be an object {\"key\", \"order\"}, not " + value.Describe());
    return std::nullopt;
  }
  bool right = true;
  constexpr std::string_view kFields[] = {"key", "order"};
  for (const JsonField& field : value.fields()) {
    if (std::find(std::begin(kFields), std::end(kFields), field.name) != std::end(kFields))
      continue;
    builder.Problem(JsonPointer(at, field.name), "unknown field \"" + std::string(field.name) +
                                                     "\"" + DidYouMean(field.name, kFields));
    right = false;
  }
  SortKey sort_key{};
  const Json* key = value.Find("key");
  if (key == nullptr || key->is_null()) {
    builder.Problem(at, "missing field \"key\"");
    right = false;
  } else if (const std::optional<KeyId> found =
                 builder.KeyValue(*key, at + "/key", KeyUse::kRead)) {
    sort_key.key = *found;
    sort_key.type = builder.schema().key(*found).type;
  } else {
    right = false;
  }
  const Json* order = value.Find("order");
  if (order != nullptr && !order->is_null()) {
    const std::optional<std::string_view> text = order->AsString();
    if (text == kDesc) {
      sort_key.order = Order::kDescending;
    } else if (text != kAsc) {
      builder.Problem(at + "/order",
                      "\"order\" must be \"asc\" or \"desc\", not " + order->Describe());
      right = false;
    }
  }
  if (!right) return std::nullopt;
  return sort_key;
}

std::optional<std::vector<SortKey>> ReadSortKeys(TaskBuilder& builder, const Json& list) {
  if (!list.is_array() || list.items().empty()) {
    builder.Problem("/keys", "\"keys\" must be an array of objects {\"key\", \"order\"}, not " +
                                 (list.is_array() ? "an empty one" : list.Describe()));
    return std::nullopt;
  }
  std::vector<SortKey> keys;
  bool right = true;
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const std::optional<SortKey> key =
        ReadSortKey(builder, list.items()[i], JsonPointer("/keys", i));
    if (key) keys.push_back(*key);
    right = right && key.has_value();
  }
  if (!right) return std::nullopt;
  return keys;
}

std::unique_ptr<const Task> MakeSort(TaskBuilder& builder) {
  const Json* list = builder.Find("keys");
  const bool has_key = builder.Find("key") != nullptr;
  const bool has_by = builder.Find("by") != nullptr;
  if (list == nullptr && !has_key && !has_by) {
    MissingParam(builder, "sort", "\"key\", \"by\" or \"keys\"");
    builder.Choice("order", {kAsc, kDesc}, 0);  // told as well when it is wrong
    return nullptr;
  }
  if ((list != nullptr) + has_key + has_by > 1) {
    builder.Problem(has_by ? "/by" : "/keys",
                    "only one of \"key\", \"by\" and \"keys\" may be given");
    return nullptr;
  }
  if (list != nullptr) {
    if (builder.Find("order") != nullptr) {
      builder.Problem("/order", "with keys, each key has an order of its own");
      return nullptr;
    }
    std::optional<std::vector<SortKey>> keys = ReadSortKeys(builder, *list);
    if (!keys) return nullptr;
    return std::make_unique<Sort>(*std::move(keys));
  }
  const std::optional<KeyId> key = builder.Key(has_key ? "key" : "by", KeyUse::kRead);
  const std::optional<std::size_t> order = builder.Choice("order", {kAsc, kDesc}, 0);
  if (!key || !order) return nullptr;
  return std::make_unique<Sort>(
      std::vector<SortKey>{{.key = *key,
                            .order = *order == 0 ? Order::kAscending : Order::kDescending,
                            .type = builder.schema().key(*key).type}});
}

constexpr ParamDoc kSortParams[] = {
    {"key", "key", false, "", "what to sort by; one of key, by and keys is required"},
    {"by", "key", false, "", "another name for key"},
    {"order", "\"asc\" or \"desc\"", false, "\"asc\"", "the order of key"},
    {"keys", "list of {key, order}", false, "", "several keys, the most significant first"},
};

}  // namespace

constinit const TaskSpec kSortTask = {
    .op = "sort",
    .doc = "The rows in the order of one or more keys; stable, nulls last in both orders.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "cpu",
    .params = kSortParams,
    .make = MakeSort};

}  // namespace rankd
