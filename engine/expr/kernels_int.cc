// Int arithmetic. Results are computed with wrap-around, and a word whose sign bit tells of
// overflow is collected beside them; only a block in which some row overflowed takes the second
// loop, which makes those rows null.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/base/wide.h"
#include "engine/expr/kernels.h"
#include "engine/expr/kernels_numeric.h"

namespace rankd {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

/// A wrapped result, and a word with the sign bit set where it is not the true one.
struct Wrapped {
  std::uint64_t result;
  std::uint64_t bad;
};

struct Add {
  Wrapped operator()(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t r = a + b;
    return {r, (a ^ r) & (b ^ r)};
  }
};
struct Sub {
  Wrapped operator()(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t r = a - b;
    return {r, (a ^ b) & (a ^ r)};
  }
};
struct Mul {
  Wrapped operator()(std::uint64_t a, std::uint64_t b) const {
    std::int64_t r = 0;
    const bool overflow =
        __builtin_mul_overflow(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), &r);
    return {static_cast<std::uint64_t>(r), overflow ? kSign : 0};
  }
};
struct Mod {
  Wrapped operator()(std::uint64_t a, std::uint64_t b) const {
    // b + 1 <= 1: b is 0, which has no result, or -1, with which the instruction may trap.
    const std::int64_t divisor = b + 1 <= 1 ? 1 : static_cast<std::int64_t>(b);
    const std::int64_t r = static_cast<std::int64_t>(a) % divisor;
    return {static_cast<std::uint64_t>(r), b == 0 ? kSign : 0};
  }
};
struct Neg {
  Wrapped operator()(std::uint64_t a, std::uint64_t) const {
    const std::uint64_t r = 0 - a;
    return {r, a & r};
  }
};
struct Abs {
  Wrapped operator()(std::uint64_t a, std::uint64_t) const {
    const std::uint64_t r = (a & kSign) != 0 ? 0 - a : a;
    return {r, r};
  }
};

template <typename Op, typename A, typename B>
void Loop(KernelCall& call, Op op, A a, B b) {
  const std::size_t n = call.rows;
  std::int64_t* __restrict const out = call.Out<std::int64_t>();
  std::uint64_t bad = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Wrapped r = op(static_cast<std::uint64_t>(a[i]), static_cast<std::uint64_t>(b[i]));
    out[i] = static_cast<std::int64_t>(r.result);
    bad |= r.bad;
  }
  if ((bad & kSign) == 0) return;
  std::uint8_t* __restrict const valid = WritableValidity(call);
  for (std::size_t i = 0; i < n; ++i) {
    const Wrapped r = op(static_cast<std::uint64_t>(a[i]), static_cast<std::uint64_t>(b[i]));
    if ((r.bad & kSign) == 0) continue;
    out[i] = 0;
    valid[i] = 0;
  }
}

template <typename Op>
void Binary(KernelCall& call, Op op) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  WithRows<std::int64_t>(call.operands[0], call.operands[1],
                         [&](auto a, auto b) { Loop(call, op, a, b); });
}

template <typename Op>
void Unary(KernelCall& call, Op op) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  WithRows<std::int64_t>(call.operands[0],
                         [&](auto a) { Loop(call, op, a, SameForAll<std::int64_t>{0}); });
}

/// The nearest double, ties to even, without the conversion of one number that there is: halves of
/// 32 bits become the low bits of doubles whose exponents put them in their place (2^84, where one
/// is 2^32, and 2^52), exactly; only the sum is rounded. AVX2 converts ints of 32 bits only; this
/// it does to four at once.
double NearestDouble(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const double high = std::bit_cast<double>(bits >> 32 ^ 0x4530'0000'8000'0000);
  const double low = std::bit_cast<double>((bits & 0xFFFF'FFFF) | 0x4330'0000'0000'0000);
  constexpr double kOffsets = 0x1p84 + 0x1p63 + 0x1p52;  // exactly
  return high - kOffsets + low;
}

void ToFloat(KernelCall& call) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  const std::size_t n = call.rows;
  double* __restrict const out = call.Out<double>();
  WithRows<std::int64_t>(call.operands[0], [&](auto a) {
    for (std::size_t i = 0; i < n; ++i) out[i] = NearestDouble(a[i]);
  });
}

}  // namespace

RANKD_WIDE(void, ExecuteInt, (KernelCall & call), (call)) {
  switch (call.instruction.op) {
    case OpCode::kIntToFloat:
      return ToFloat(call);
    case OpCode::kAddInt:
      return Binary(call, Add{});
    case OpCode::kSubInt:
      return Binary(call, Sub{});
    case OpCode::kMulInt:
      return Binary(call, Mul{});
    case OpCode::kModInt:
      return Binary(call, Mod{});
    case OpCode::kNegInt:
      return Unary(call, Neg{});
    case OpCode::kAbsInt:
      return Unary(call, Abs{});
    case OpCode::kMinInt:
      return PickKernel<std::int64_t>(call, Lesser{});
    case OpCode::kMaxInt:
      return PickKernel<std::int64_t>(call, Greater{});
    default:
      return ClampKernel<std::int64_t>(call);
  }
}

}  // namespace rankd
