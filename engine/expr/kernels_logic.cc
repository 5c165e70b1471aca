// Comparisons, `in`, and what works on truth and nulls.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <type_traits>

#include "engine/base/wide.h"
#include "engine/expr/kernels.h"
#include "engine/expr/kernels_numeric.h"

namespace rankd {
namespace {

using Bytes = std::array<std::uint8_t, kBlockRows>;

std::uint8_t Bit(bool value) { return static_cast<std::uint8_t>(value); }

/// False where an operand is null.
void FalseWhereNull(KernelCall& call) {
  const std::size_t n = call.rows;
  std::uint8_t* __restrict const out = call.Out<std::uint8_t>();
  for (const Vec& operand : call.operands) {
    if (operand.valid == nullptr) continue;
    const std::uint8_t* __restrict const valid = operand.valid;
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(out[i] & valid[i]);
  }
}

template <typename T, typename Op>
void Compare(KernelCall& call, const Vec& left, const Vec& right, Op op) {
  const std::size_t n = call.rows;
  std::uint8_t* __restrict const out = call.Out<std::uint8_t>();
  WithRows<T>(left, right, [&](auto a, auto b) {
    for (std::size_t i = 0; i < n; ++i) out[i] = Bit(op(a[i], b[i]));
  });
  FalseWhereNull(call);
}

template <typename T>
void CompareAs(KernelCall& call) {
  const Vec& a = call.operands[0];
  const Vec& b = call.operands[1];
  switch (static_cast<Comparison>(call.instruction.detail)) {
    case Comparison::kEq:
      return Compare<T>(call, a, b, std::equal_to<>{});
    case Comparison::kNe:
      return Compare<T>(call, a, b, std::not_equal_to<>{});
    case Comparison::kLt:
      return Compare<T>(call, a, b, std::less<>{});
    case Comparison::kLe:
      return Compare<T>(call, a, b, std::less_equal<>{});
    case Comparison::kGt:
      return Compare<T>(call, b, a, std::less<>{});
    case Comparison::kGe:
      return Compare<T>(call, b, a, std::less_equal<>{});
  }
}

/// Lists this short are tried item by item, a block at a time.
constexpr std::size_t kShortList = 8;

/// Most strings of one length differ in their first byte or the last: a call less.
bool SameText(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return a.size() == b.size();
  return a.front() == b.front() && a.back() == b.back() && a == b;
}

/// Adds to `out` the rows whose value, as T, is in the sorted `list`.
template <typename T, typename From, typename Item>
void OrIfListed(KernelCall& call, std::span<const Item> list) {
  const std::size_t n = call.rows;
  std::uint8_t* __restrict const out = call.Out<std::uint8_t>();
  const AnyRow<From> values(call.operands[0]);
  if (list.size() > kShortList) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool listed =
          std::binary_search(list.begin(), list.end(), static_cast<T>(values[i]), std::less<>{});
      out[i] = Bit(out[i] != 0 || listed);
    }
    return;
  }
  if constexpr (std::is_same_v<T, std::string_view>) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view text = values[i];
      out[i] =
          Bit(std::ranges::any_of(list, [&](const Item& item) { return SameText(text, item); }));
    }
    return;
  }
  for (const Item& item : list) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<std::uint8_t>(out[i] | Bit(static_cast<T>(values[i]) == item));
    }
  }
}

void In(KernelCall& call) {
  const InList& list = call.tables.lists[call.instruction.detail];
  std::uint8_t* const out = call.Out<std::uint8_t>();
  std::memset(out, 0, call.rows);
  switch (call.instruction.op) {
    case OpCode::kInInt:
      OrIfListed<std::int64_t, std::int64_t>(call, std::span(list.ints));
      OrIfListed<double, std::int64_t>(call, std::span(list.floats));
      break;
    case OpCode::kInFloat:
      OrIfListed<double, double>(call, std::span(list.floats));
      break;
    case OpCode::kInBool:
      for (std::size_t i = 0; i < call.rows; ++i) {
        out[i] = Bit(call.operands[0].At<std::uint8_t>(i) != 0 ? list.has_true : list.has_false);
      }
      break;
    default:
      OrIfListed<std::string_view, std::string_view>(call, std::span(list.strings));
      break;
  }
  FalseWhereNull(call);
}

/// A byte a row: true and not null. `room` is used where it has to be computed.
const std::uint8_t* Truth(const Vec& vec, std::size_t rows, Bytes& room) {
  if (vec.uniform) {
    const bool truth = !vec.AlwaysNull() && *vec.As<std::uint8_t>() != 0;
    return truth ? kAllValid.data() : kNoneValid.data();
  }
  const std::uint8_t* const values = vec.As<std::uint8_t>();
  if (vec.valid == nullptr) return values;
  for (std::size_t i = 0; i < rows; ++i) {
    room[i] = static_cast<std::uint8_t>(values[i] & vec.valid[i]);
  }
  return room.data();
}

template <typename Op>
void Logic(KernelCall& call, Op op) {
  const std::size_t n = call.rows;
  Bytes room_a;
  Bytes room_b;
  const std::uint8_t* const a = Truth(call.operands[0], n, room_a);
  const std::uint8_t* const b = Truth(call.operands[1], n, room_b);
  std::uint8_t* __restrict const out = call.Out<std::uint8_t>();
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(op(a[i], b[i]));
}

void Not(KernelCall& call) {
  const std::size_t n = call.rows;
  Bytes room;
  const std::uint8_t* const a = Truth(call.operands[0], n, room);
  std::uint8_t* __restrict const out = call.Out<std::uint8_t>();
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(a[i] ^ 1);
}

/// `null_is`: what a null gives.
void NullTest(KernelCall& call, std::uint8_t null_is) {
  const std::size_t n = call.rows;
  const std::uint8_t* const valid = call.operands[0].ValidOrOnes();
  std::uint8_t* __restrict const out = call.Out<std::uint8_t>();
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(valid[i] ^ null_is);
}

template <typename T>
void Copy(KernelCall& call, const Vec& from) {
  T* const out = call.Out<T>();
  if (from.uniform) {
    std::fill_n(out, call.rows, *from.As<T>());
  } else {
    std::copy_n(from.As<T>(), call.rows, out);
  }
  if (from.valid == nullptr) return;
  std::memcpy(call.valid, from.valid, call.rows);
  call.has_nulls = true;
}

template <typename T>
void Select(KernelCall& call, const std::uint8_t* choose, const Vec& yes, const Vec& no) {
  const std::size_t n = call.rows;
  T* __restrict const out = call.Out<T>();
  WithRows<T>(yes, no, [&](auto a, auto b) {
    for (std::size_t i = 0; i < n; ++i) out[i] = choose[i] != 0 ? a[i] : b[i];
  });
}

template <typename T>
void If(KernelCall& call) {
  const Vec& condition = call.operands[0];
  const Vec& yes = call.operands[1];
  const Vec& no = call.operands[2];
  const std::size_t n = call.rows;
  Bytes room;
  const std::uint8_t* const choose = Truth(condition, n, room);
  if (condition.uniform) return Copy<T>(call, choose[0] != 0 ? yes : no);
  Select<T>(call, choose, yes, no);
  if (yes.valid == nullptr && no.valid == nullptr) return;
  call.has_nulls = true;
  const std::uint8_t* const valid_yes = yes.ValidOrOnes();
  const std::uint8_t* const valid_no = no.ValidOrOnes();
  for (std::size_t i = 0; i < n; ++i) {
    call.valid[i] = choose[i] != 0 ? valid_yes[i] : valid_no[i];
  }
}

template <typename T>
void Coalesce(KernelCall& call) {
  const Vec& a = call.operands[0];
  const Vec& b = call.operands[1];
  if (a.valid == nullptr) return Copy<T>(call, a);
  if (a.AlwaysNull()) return Copy<T>(call, b);
  const std::size_t n = call.rows;
  Select<T>(call, a.valid, a, b);
  if (b.valid == nullptr) return;
  call.has_nulls = true;
  for (std::size_t i = 0; i < n; ++i) {
    call.valid[i] = static_cast<std::uint8_t>(a.valid[i] | b.valid[i]);
  }
}

}  // namespace

RANKD_WIDE(void, ExecuteComparison, (KernelCall & call), (call)) {
  for (const Vec& operand : call.operands) {
    if (!operand.AlwaysNull()) continue;
    std::memset(call.out, 0, call.rows);
    return;
  }
  switch (call.instruction.op) {
    case OpCode::kCompareInt:
      return CompareAs<std::int64_t>(call);
    case OpCode::kCompareFloat:
      return CompareAs<double>(call);
    case OpCode::kCompareBool:
      return CompareAs<std::uint8_t>(call);
    case OpCode::kCompareString:
      return CompareAs<std::string_view>(call);
    default:
      return In(call);
  }
}

RANKD_WIDE(void, ExecuteLogic, (KernelCall & call), (call)) {
  switch (call.instruction.op) {
    case OpCode::kAnd:
      return Logic(call, std::bit_and<>{});
    case OpCode::kOr:
      return Logic(call, std::bit_or<>{});
    case OpCode::kNot:
      return Not(call);
    case OpCode::kIsNull:
      return NullTest(call, 1);
    case OpCode::kNotNull:
      return NullTest(call, 0);
    case OpCode::kIf:
      return WithCppType(call.instruction.out.type, [&]<typename T>() { If<T>(call); });
    default:
      return WithCppType(call.instruction.out.type, [&]<typename T>() { Coalesce<T>(call); });
  }
}

}  // namespace rankd
