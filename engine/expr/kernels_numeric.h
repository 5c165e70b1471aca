// What the int and the float kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/expr/kernels.h"
#include "engine/expr/vec.h"

namespace rankd {

/// Either way to read an operand, decided per row: for operands in uncommon positions.
template <typename T>
struct AnyRow {
  explicit AnyRow(const Vec& vec) : data(vec.As<T>()), step(vec.uniform ? 0 : 1) {}
  const T& operator[](std::size_t i) const { return data[i * step]; }
  const T* data;
  std::size_t step;
};

/// The first of equals.
struct Lesser {
  template <typename T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Greater {
  template <typename T>
  T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};

/// min and max: nulls are skipped, null where both are.
template <typename T, typename Pick>
void PickKernel(KernelCall& call, Pick pick) {
  const Vec& a = call.operands[0];
  const Vec& b = call.operands[1];
  const std::size_t n = call.rows;
  T* __restrict const out = call.Out<T>();
  if (a.valid == nullptr && b.valid == nullptr) {
    WithRows<T>(a, b, [&](auto x, auto y) {
      for (std::size_t i = 0; i < n; ++i) out[i] = pick(x[i], y[i]);
    });
    return;
  }
  const std::uint8_t* const valid_a = a.ValidOrOnes();
  const std::uint8_t* const valid_b = b.ValidOrOnes();
  const AnyRow<T> x(a);
  const AnyRow<T> y(b);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = valid_b[i] == 0 ? x[i] : valid_a[i] == 0 ? y[i] : pick(x[i], y[i]);
  }
  if (a.valid == nullptr || b.valid == nullptr) return;
  call.has_nulls = true;
  for (std::size_t i = 0; i < n; ++i) {
    call.valid[i] = static_cast<std::uint8_t>(valid_a[i] | valid_b[i]);
  }
}

/// clamp(x, lo, hi) = max(lo, min(hi, x)).
template <typename T>
void ClampKernel(KernelCall& call) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  const std::size_t n = call.rows;
  T* __restrict const out = call.Out<T>();
  const auto loop = [&](auto x, auto low, auto high) {
    for (std::size_t i = 0; i < n; ++i) out[i] = Greater{}(low[i], Lesser{}(high[i], x[i]));
  };
  const Vec& x = call.operands[0];
  const Vec& low = call.operands[1];
  const Vec& high = call.operands[2];
  if (!x.uniform && low.uniform && high.uniform) {
    loop(EachRow<T>{x.As<T>()}, SameForAll<T>{*low.As<T>()}, SameForAll<T>{*high.As<T>()});
  } else {
    loop(AnyRow<T>(x), AnyRow<T>(low), AnyRow<T>(high));
  }
}

}  // namespace rankd
