// What the tests of expressions share: short ways to compile and evaluate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/expr/expression.h"
#include "tests/expr/sample.h"

namespace rankd::test {

inline constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();

/// Sanitizers make the reference thirty times as slow. With one, a cross product is gone through in
/// steps of this, from another offset each time; every operator still meets every length.
#ifdef RANKD_SANITIZED
inline constexpr std::size_t kStride = 4;
#else
inline constexpr std::size_t kStride = 1;
#endif

inline Value I(std::int64_t value) { return value; }
inline Value S(const char* value) { return std::string(value); }

/// Fails the test when there are problems.
ExpressionRef CompileOk(std::string_view text, const ExpressionScope& scope);
/// The problems; fails the test when there are none.
std::vector<Error> ProblemsOf(std::string_view text, const ExpressionScope& scope);
/// The same for IR.
ExpressionRef CompileIrOk(std::string_view json, const ExpressionScope& scope);
std::vector<Error> IrProblemsOf(std::string_view json, const ExpressionScope& scope);

BoundExpression BindOk(ExpressionRef expression, const ParamValues& params);

/// One value a row.
std::vector<Value> ColumnOf(std::string_view text, const RowSet& rows,
                            const ParamValues& params = Params());
/// Over the row i = 7, f = 0.5, b = true, s = 'Abc', the others null.
Value ValueOf(std::string_view text);
Value ScalarOf(std::string_view text, const RowSet& rows, const ParamValues& params = Params());

}  // namespace rankd::test
