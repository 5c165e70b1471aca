// RowSets in tests: written as JSON, shown as text, compared with a row-by-row model.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/rowset.h"
#include "engine/data/schema.h"

namespace rankd {

/// The keys all tests of tasks use:
///   id, score (float), n (int), flag (bool), country (string), title (string), age (int);
///   final_score (float, not nullable, default 0.5); must (int, not nullable, no default);
///   kept (int, may not be written); n2, s2: further int and string keys.
Schema TestSchema();
KeyId TestKey(std::string_view name);

/// `[{"id":7,"score":0.5},…]`: keys are those any row names, what a row lacks is null.
RowSet MakeRows(std::string_view json);
/// The base rows `rows` of it.
RowSet Select(const RowSet& rows, std::vector<std::uint32_t> selection);

/// "7 n=3 country=\"US\" | 8 n=null country=\"CA\"": all keys carried, in the schema's order.
std::string Show(const RowSet& rows);
/// The keys carried: "id,n,country".
std::string ShowKeys(const RowSet& rows);

/// One row, by key; all keys that the RowSet carries.
using ModelRow = std::map<KeyId, Value>;
using Model = std::vector<ModelRow>;
Model ToModel(const RowSet& rows);
/// The value of a row, null where it does not carry the key.
const Value& ValueOf(const ModelRow& row, KeyId key);
/// -0.0 equals 0.0, null equals null; both of one type.
bool SameValue(const Value& a, const Value& b);
/// Null before all else, false before true, strings by bytes.
bool ValueLess(const Value& a, const Value& b);

/// Numbers for random tests; the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  /// 0 … below - 1.
  std::uint32_t Below(std::uint32_t below);
  bool OneIn(std::uint32_t n) { return Below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Up to `most` rows with a random choice of the keys `keys` besides id: few distinct values, nulls
/// where they are allowed, sometimes a selection that leaves out, reorders and repeats rows.
RowSet RandomRows(Random& random, std::uint32_t most, std::initializer_list<std::string_view> keys);

}  // namespace rankd
