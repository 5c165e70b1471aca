#include "tests/expr/sample.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "engine/base/json.h"
#include "engine/base/number_text.h"

namespace rankd::test {
namespace {

Schema MakeSchema() {
  Schema schema;
  std::int64_t registry_id = 2001;
  const auto key = [&](std::string name, ValueType type, EntryStatus status) {
    KeySpec spec;
    spec.name = std::move(name);
    spec.type = type;
    spec.status = status;
    if (status != EntryStatus::kBlocked) spec.registry_id = registry_id++;
    schema.AddKey(std::move(spec));
  };
  const auto keys = [&](std::initializer_list<const char*> names, ValueType type) {
    for (const char* name : names) key(name, type, EntryStatus::kActive);
  };
  keys({"i", "j"}, ValueType::kInt);
  keys({"f", "g"}, ValueType::kFloat);
  keys({"b", "c"}, ValueType::kBool);
  keys({"s", "t"}, ValueType::kString);
  keys({"absent_i"}, ValueType::kInt);
  keys({"absent_f"}, ValueType::kFloat);
  keys({"absent_b"}, ValueType::kBool);
  keys({"absent_s"}, ValueType::kString);
  key("old", ValueType::kInt, EntryStatus::kDeprecated);
  key("gone", ValueType::kInt, EntryStatus::kBlocked);
  registry_id = 1;
  const auto param = [&](std::string name, ValueType type, bool nullable, EntryStatus status) {
    ParamSpec spec;
    spec.name = std::move(name);
    spec.type = type;
    spec.nullable = nullable;
    spec.status = status;
    spec.registry_id = registry_id++;
    schema.AddParam(std::move(spec));
  };
  param("pi", ValueType::kInt, true, EntryStatus::kActive);
  param("pf", ValueType::kFloat, true, EntryStatus::kActive);
  param("pb", ValueType::kBool, true, EntryStatus::kActive);
  param("ps", ValueType::kString, true, EntryStatus::kActive);
  param("ni", ValueType::kInt, false, EntryStatus::kActive);
  param("ns", ValueType::kString, false, EntryStatus::kActive);
  param("blocked", ValueType::kInt, true, EntryStatus::kBlocked);
  return schema;
}

}  // namespace

const Schema& TestSchema() {
  static const Schema schema = MakeSchema();
  return schema;
}

KeyId KeyNamed(std::string_view name) { return TestSchema().FindKey(name).value(); }
ParamId ParamNamed(std::string_view name) { return TestSchema().FindParam(name).value(); }

ExpressionScope RowScope() {
  ExpressionScope scope;
  scope.schema = &TestSchema();
  return scope;
}

ExpressionScope ScalarScope() {
  ExpressionScope scope = RowScope();
  scope.kind = ExpressionKind::kScalar;
  return scope;
}

ParamValues Params(std::vector<std::pair<std::string, Value>> values) {
  ParamValues params(TestSchema());
  for (auto& [name, value] : values) params.Set(ParamNamed(name), std::move(value));
  return params;
}

RowSet Rows(std::vector<std::pair<std::string, std::vector<Value>>> columns) {
  const std::size_t count = columns.empty() ? 0 : columns.front().second.size();
  Column::Ints ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int64_t>(i + 1);
  std::vector<RowSet::Entry> entries;
  entries.push_back({kIdKey, Column::Make(std::move(ids))});
  std::sort(columns.begin(), columns.end(),
            [](const auto& a, const auto& b) { return KeyNamed(a.first) < KeyNamed(b.first); });
  for (const auto& [name, values] : columns) {
    const KeyId key = KeyNamed(name);
    ColumnBuilder builder(TestSchema().key(key).type);
    for (const Value& value : values) builder.Append(value);
    entries.push_back({key, std::move(builder).Finish()});
  }
  return RowSet(std::move(entries));
}

std::vector<Value> ValuesOf(const Column& column) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < column.size(); ++i) values.push_back(column.At(i));
  return values;
}

bool SameValue(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  if (const double* number = std::get_if<double>(&a)) {
    return std::bit_cast<std::uint64_t>(*number) ==
           std::bit_cast<std::uint64_t>(std::get<double>(b));
  }
  return a == b;
}

std::string Show(const Value& value) {
  std::string out;
  if (IsNull(value)) return "null";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) AppendInt(out, *integer);
  if (const auto* number = std::get_if<double>(&value)) AppendFloat(out, *number);
  if (const auto* boolean = std::get_if<bool>(&value)) out = *boolean ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) AppendJsonString(out, *text);
  return out;
}

RowSet RandomRows(std::mt19937& random, std::size_t count) {
  constexpr auto kMaxInt = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMinInt = std::numeric_limits<std::int64_t>::min();
  const std::vector<Value> ints = {
      std::int64_t{0},  std::int64_t{1},       std::int64_t{-1},   std::int64_t{2},
      std::int64_t{3},  std::int64_t{-7},      std::int64_t{1000}, kMaxInt,
      kMinInt,          kMaxInt - 1,           kMinInt + 1,        std::int64_t{9007199254740993},
      std::int64_t{64}, std::int64_t{1} << 32, std::int64_t{4},    std::int64_t{5}};
  const std::vector<Value> floats = {0.0,    -0.0, 0.5,     -0.5, 1.0,    2.5, -2.25, 1e308,
                                     -1e308, 1e19, -9.3e18, 3.0,  5e-324, 0.1, 700.0, -1e-9};
  const std::vector<Value> strings = {
      std::string(),      std::string("US"),  std::string("CA"),  std::string("us"),
      std::string("été"), std::string("Abc"), std::string("abc"), std::string("a longer string, X"),
      std::string("x"),   std::string("ß∂😀")};
  const std::vector<Value> bools = {true, false};
  const auto column = [&](const std::vector<Value>& pool, unsigned nulls_in_ten) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(random() % 10 < nulls_in_ten ? Value() : pool[random() % pool.size()]);
    }
    return values;
  };
  return Rows({{"i", column(ints, 2)},
               {"j", column(ints, 0)},
               {"f", column(floats, 2)},
               {"g", column(floats, 0)},
               {"b", column(bools, 3)},
               {"c", column(bools, 0)},
               {"s", column(strings, 2)},
               {"t", column(strings, 0)}});
}

RowSet RandomSelection(std::mt19937& random, const RowSet& rows) {
  auto selection = std::make_shared<Selection>();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (random() % 4 != 0) {
      selection->push_back(static_cast<std::uint32_t>(random() % rows.base_rows()));
    }
  }
  return rows.WithSelection(std::move(selection));
}

}  // namespace rankd::test
