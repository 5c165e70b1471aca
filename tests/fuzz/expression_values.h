// What the fuzz targets of expressions have in common: rows to evaluate over, and comparing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/rowset.h"
#include "engine/expr/expression.h"
#include "tests/expr/reference.h"

namespace rankd::fuzz {

/// The rows of tests/expr/sample.h: some number of them, selected and in order, or shuffled.
/// `choice` picks one of the few there are.
const RowSet& SomeRows(std::size_t choice);

/// Every param has a value.
const ParamValues& SomeParams();

/// With SomeParams, which suit every expression.
BoundExpression BindToParams(ExpressionRef expression);

/// The column over `rows`: the same as over each of the first few rows alone, and, for a bool, what
/// the filter keeps. `type` is the expression's.
std::vector<Value> Evaluate(const BoundExpression& bound, std::optional<ValueType> type,
                            const RowSet& rows, const std::string& shown);

/// `values` are those of the tree over `rows`.
void RequireReference(const test::Tree& tree, const RowSet& rows, const std::vector<Value>& values,
                      const std::string& shown);

}  // namespace rankd::fuzz
