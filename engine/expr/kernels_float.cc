// Float arithmetic. A result that is not finite is null; as with ints, a block where all are finite
// (nearly every block) pays one reduction for that.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/base/wide.h"
#include "engine/expr/kernels.h"
#include "engine/expr/kernels_numeric.h"

namespace rankd {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

/// The sign bit is set when `value` is infinite or no number: its exponent is all ones, and one
/// more carries into the sign.
std::uint64_t NotFinite(double value) {
  constexpr std::uint64_t kExponent = 0x7FF0'0000'0000'0000;
  constexpr std::uint64_t kOneExponent = 0x0010'0000'0000'0000;
  return (std::bit_cast<std::uint64_t>(value) & kExponent) + kOneExponent;
}

void NullWhereNotFinite(KernelCall& call, std::uint64_t bad) {
  if ((bad & kSign) == 0) return;
  std::uint8_t* __restrict const valid = WritableValidity(call);
  double* __restrict const out = call.Out<double>();
  for (std::size_t i = 0; i < call.rows; ++i) {
    if (std::isfinite(out[i])) continue;
    out[i] = 0;
    valid[i] = 0;
  }
}

template <typename Op>
void Binary(KernelCall& call, Op op) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  const std::size_t n = call.rows;
  double* __restrict const out = call.Out<double>();
  std::uint64_t bad = 0;
  WithRows<double>(call.operands[0], call.operands[1], [&](auto a, auto b) {
    std::uint64_t collected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double r = op(a[i], b[i]);
      out[i] = r;
      collected |= NotFinite(r);
    }
    bad = collected;
  });
  NullWhereNotFinite(call, bad);
}

template <typename Op>
void Unary(KernelCall& call, Op op) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  const std::size_t n = call.rows;
  double* __restrict const out = call.Out<double>();
  std::uint64_t bad = 0;
  WithRows<double>(call.operands[0], [&](auto a) {
    std::uint64_t collected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double r = op(a[i]);
      out[i] = r;
      collected |= NotFinite(r);
    }
    bad = collected;
  });
  NullWhereNotFinite(call, bad);
}

/// Float to int; null beyond 64 bits.
template <typename Op>
void ToInt(KernelCall& call, Op op) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const std::size_t n = call.rows;
  std::int64_t* __restrict const out = call.Out<std::int64_t>();
  const AnyRow<double> a(call.operands[0]);
  bool bad = false;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = op(a[i]);
    const bool fits = r >= -kLimit && r < kLimit;
    out[i] = fits ? static_cast<std::int64_t>(r) : 0;
    bad |= !fits;
  }
  if (!bad) return;
  std::uint8_t* __restrict const valid = WritableValidity(call);
  for (std::size_t i = 0; i < n; ++i) {
    const double r = op(a[i]);
    if (!(r >= -kLimit && r < kLimit)) valid[i] = 0;
  }
}

void ExecuteFunction(KernelCall& call) {
  switch (call.instruction.op) {
    case OpCode::kFloor:
      return ToInt(call, [](double a) { return std::floor(a); });
    case OpCode::kCeil:
      return ToInt(call, [](double a) { return std::ceil(a); });
    case OpCode::kRound:
      return ToInt(call, [](double a) { return std::round(a); });
    case OpCode::kSqrt:
      return Unary(call, [](double a) { return std::sqrt(a); });
    case OpCode::kExp:
      return Unary(call, [](double a) { return std::exp(a); });
    case OpCode::kLog:
      return Unary(call, [](double a) { return std::log(a); });
    case OpCode::kLog1p:
      return Unary(call, [](double a) { return std::log1p(a); });
    case OpCode::kSigmoid:
      return Unary(call, [](double a) { return 1.0 / (1.0 + std::exp(-a)); });
    default:
      return Binary(call, [](double a, double b) { return std::pow(a, b); });
  }
}

}  // namespace

RANKD_WIDE(void, ExecuteFloat, (KernelCall & call), (call)) {
  switch (call.instruction.op) {
    case OpCode::kAddFloat:
      return Binary(call, [](double a, double b) { return a + b; });
    case OpCode::kSubFloat:
      return Binary(call, [](double a, double b) { return a - b; });
    case OpCode::kMulFloat:
      return Binary(call, [](double a, double b) { return a * b; });
    case OpCode::kDivFloat:
      return Binary(call, [](double a, double b) { return a / b; });
    case OpCode::kModFloat:
      return Binary(call, [](double a, double b) { return std::fmod(a, b); });
    case OpCode::kNegFloat:
      return Unary(call, [](double a) { return -a; });
    case OpCode::kAbsFloat:
      return Unary(call, [](double a) { return std::fabs(a); });
    case OpCode::kMinFloat:
      return PickKernel<double>(call, Lesser{});
    case OpCode::kMaxFloat:
      return PickKernel<double>(call, Greater{});
    case OpCode::kClampFloat:
      return ClampKernel<double>(call);
    default:
      return ExecuteFunction(call);
  }
}

}  // namespace rankd
