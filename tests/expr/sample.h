// The schema, the rows and the values that tests of expressions share.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/data/rowset.h"
#include "engine/data/schema.h"
#include "engine/expr/expression.h"

namespace rankd::test {

/// Keys: id; i, j (int); f, g (float); b, c (bool); s, t (string); absent_i, absent_f, absent_b,
/// absent_s, which rows never carry; old (deprecated), gone (blocked). Those but id and gone
/// have the registry ids 2001, 2002, … in this order. Params: pi, pf, pb, ps (nullable); ni, ns
/// (nullable:false); blocked; registry ids from 1.
const Schema& TestSchema();

KeyId KeyNamed(std::string_view name);
ParamId ParamNamed(std::string_view name);

/// A scope over TestSchema.
ExpressionScope RowScope();
ExpressionScope ScalarScope();

/// Params at their defaults, with `values` set by name.
ParamValues Params(std::vector<std::pair<std::string, Value>> values = {});

/// Rows with ids 1… and one column a pair; every list has the same length.
RowSet Rows(std::vector<std::pair<std::string, std::vector<Value>>> columns);

std::vector<Value> ValuesOf(const Column& column);

/// Equal, floats by their bits.
bool SameValue(const Value& a, const Value& b);
std::string Show(const Value& value);

/// `count` rows with nulls and extreme values in all of i, j, f, g, b, c, s, t.
RowSet RandomRows(std::mt19937& random, std::size_t count);
/// `rows` in some other order, some left out, some repeated.
RowSet RandomSelection(std::mt19937& random, const RowSet& rows);

}  // namespace rankd::test
