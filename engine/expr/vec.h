// The operands and results of kernels: up to a block of values of one type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/data/value.h"

namespace rankd {

/// Most rows of a block. A multiple of 64, so that blocks begin at whole words of a bitmap.
inline constexpr std::size_t kBlockRows = 1024;

/// Validity of a block where all, or none, are null.
inline constexpr std::array<std::uint8_t, kBlockRows> kNoneValid{};
inline constexpr std::array<std::uint8_t, kBlockRows> kAllValid = [] {
  std::array<std::uint8_t, kBlockRows> bytes{};
  bytes.fill(1);
  return bytes;
}();

/// A value of any type, aligned for all.
struct alignas(16) ValueBytes {
  std::byte bytes[16] = {};
};

template <typename T>
struct ValueTypeOfCpp;
template <>
struct ValueTypeOfCpp<std::int64_t> {
  static constexpr ValueType value = ValueType::kInt;
};
template <>
struct ValueTypeOfCpp<double> {
  static constexpr ValueType value = ValueType::kFloat;
};
template <>
struct ValueTypeOfCpp<std::uint8_t> {
  static constexpr ValueType value = ValueType::kBool;
};
template <>
struct ValueTypeOfCpp<std::string_view> {
  static constexpr ValueType value = ValueType::kString;
};

/// Bytes of one value in a register.
constexpr std::size_t WidthOf(ValueType type) {
  return type == ValueType::kBool ? 1 : type == ValueType::kString ? sizeof(std::string_view) : 8;
}

/// Calls f<T>() with the C++ type of a register of `type`.
template <typename F>
decltype(auto) WithCppType(ValueType type, F&& f) {
  switch (type) {
    case ValueType::kInt:
      return f.template operator()<std::int64_t>();
    case ValueType::kFloat:
      return f.template operator()<double>();
    case ValueType::kBool:
      return f.template operator()<std::uint8_t>();
    case ValueType::kString:
      break;
  }
  return f.template operator()<std::string_view>();
}

/// A block of values to read. The slot of a null holds some initialised value.
struct Vec {
  const void* data = nullptr;           ///< One value if `uniform`, else one a row.
  const std::uint8_t* valid = nullptr;  ///< A byte a row, 0 or 1; nullptr: no nulls.
  bool uniform = false;

  template <typename T>
  const T* As() const {
    return static_cast<const T*>(data);
  }
  template <typename T>
  const T& At(std::size_t row) const {
    return As<T>()[uniform ? 0 : row];
  }
  bool ValidAt(std::size_t row) const { return valid == nullptr || valid[row] != 0; }
  const std::uint8_t* ValidOrOnes() const { return valid != nullptr ? valid : kAllValid.data(); }
  /// Null for every row.
  bool AlwaysNull() const { return uniform && valid != nullptr; }
};

/// All null.
inline Vec NullVec() {
  static constexpr ValueBytes kZero;
  return Vec{&kZero, kNoneValid.data(), true};
}

/// Two ways to read an operand, told apart at compile time so that loops vectorise.
template <typename T>
struct EachRow {
  const T* data;
  const T& operator[](std::size_t i) const { return data[i]; }
};
template <typename T>
struct SameForAll {
  T data;
  const T& operator[](std::size_t) const { return data; }
};

template <typename T, typename F>
void WithRows(const Vec& vec, F&& f) {
  if (vec.uniform) {
    f(SameForAll<T>{*vec.As<T>()});
  } else {
    f(EachRow<T>{vec.As<T>()});
  }
}

template <typename T, typename F>
void WithRows(const Vec& a, const Vec& b, F&& f) {
  WithRows<T>(a, [&](auto rows_a) { WithRows<T>(b, [&](auto rows_b) { f(rows_a, rows_b); }); });
}

}  // namespace rankd
