// Strings. These run once for each entry of a dictionary where the expression allows (lookup.h), so
// a call per row is what they are made for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"
#include "engine/expr/kernels.h"

namespace rankd {
namespace {

/// False for null operands.
template <typename Op>
void Predicate(KernelCall& call, Op op) {
  std::uint8_t* const out = call.Out<std::uint8_t>();
  for (std::size_t i = 0; i < call.rows; ++i) {
    bool result = true;
    for (const Vec& operand : call.operands) result = result && operand.ValidAt(i);
    out[i] = static_cast<std::uint8_t>(result && op(i));
  }
}

void TwoStrings(KernelCall& call) {
  const Vec& a = call.operands[0];
  const Vec& b = call.operands[1];
  const auto with = [&](auto op) {
    Predicate(call, [&, op](std::size_t i) {
      return op(a.At<std::string_view>(i), b.At<std::string_view>(i));
    });
  };
  switch (call.instruction.op) {
    case OpCode::kStartsWith:
      return with([](std::string_view s, std::string_view t) { return s.starts_with(t); });
    case OpCode::kEndsWith:
      return with([](std::string_view s, std::string_view t) { return s.ends_with(t); });
    default:
      return with([](std::string_view s, std::string_view t) { return s.contains(t); });
  }
}

/// Null for null operands; `op` is called for the other rows only.
template <typename T, typename Op>
void Map(KernelCall& call, Op op) {
  if (NullFromNull(call)) return;
  NullWhereOperandsAre(call);
  T* const out = call.Out<T>();
  for (std::size_t i = 0; i < call.rows; ++i) {
    out[i] = !call.has_nulls || call.valid[i] != 0 ? op(i) : T{};
  }
}

std::string_view Lower(std::string_view text, StringArena& arena) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (std::none_of(text.begin(), text.end(), is_upper)) return text;
  char* const out = arena.Allocate(text.size());
  std::transform(text.begin(), text.end(), out,
                 [&](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
  return {out, text.size()};
}

std::string_view Concat(const KernelCall& call, std::size_t row) {
  std::size_t size = 0;
  for (const Vec& operand : call.operands) size += operand.At<std::string_view>(row).size();
  if (size == 0) return {};
  char* const out = call.arena.Allocate(size);
  char* end = out;
  for (const Vec& operand : call.operands) {
    const std::string_view part = operand.At<std::string_view>(row);
    end = std::copy(part.begin(), part.end(), end);
  }
  return {out, size};
}

template <typename T, typename Append>
void Text(KernelCall& call, Append append) {
  std::string text;
  Map<std::string_view>(call, [&](std::size_t i) {
    text.clear();
    append(text, call.operands[0].At<T>(i));
    return call.arena.Copy(text);
  });
}

}  // namespace

void ExecuteString(KernelCall& call) {
  const auto string = [&](std::size_t i) { return call.operands[0].At<std::string_view>(i); };
  switch (call.instruction.op) {
    case OpCode::kRegex: {
      const Regex& regex = call.tables.regexes[call.instruction.detail];
      return Predicate(call, [&](std::size_t i) { return regex.Matches(string(i)); });
    }
    case OpCode::kStartsWith:
    case OpCode::kEndsWith:
    case OpCode::kContains:
      return TwoStrings(call);
    case OpCode::kLower:
      return Map<std::string_view>(call,
                                   [&](std::size_t i) { return Lower(string(i), call.arena); });
    case OpCode::kLen:
      return Map<std::int64_t>(call, [&](std::size_t i) {
        return static_cast<std::int64_t>(CodePointCount(string(i)));
      });
    case OpCode::kTextInt:
      return Text<std::int64_t>(call, AppendInt);
    case OpCode::kTextFloat:
      return Text<double>(call, AppendFloat);
    case OpCode::kTextBool:
      return Map<std::string_view>(call, [&](std::size_t i) -> std::string_view {
        return call.operands[0].At<std::uint8_t>(i) != 0 ? "true" : "false";
      });
    default:
      return Map<std::string_view>(call, [&](std::size_t i) { return Concat(call, i); });
  }
}

}  // namespace rankd
