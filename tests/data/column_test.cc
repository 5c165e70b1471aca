#include "engine/data/column.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

TEST_CASE("a bitmap's bits past its end stay zero") {
  for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 128U, 130U}) {
    CHECK(Bitmap(size, true).Count() == size);
    CHECK(Bitmap(size, false).Count() == 0);
    Bitmap appended;
    for (std::size_t i = 0; i < size; ++i) appended.Append(i % 3 == 0);
    CHECK(appended.size() == size);
    CHECK(appended.Count() == (size + 2) / 3);
  }
}

TEST_CASE("a dictionary numbers distinct strings in order of appearance") {
  DictionaryBuilder builder;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      CHECK(builder.Intern("s" + std::to_string(i)) == i);
    }
  }
  CHECK(builder.Intern("") == 1000);
  const DictionaryRef dictionary = std::move(builder).Finish();
  CHECK(dictionary->size() == 1001);
  CHECK(dictionary->At(0) == "s0");
  CHECK(dictionary->At(999) == "s999");
  CHECK(dictionary->At(1000).empty());
}

TEST_CASE("a built column gives back what was appended, for every type") {
  const std::vector<std::pair<ValueType, std::vector<Value>>> kCases = {
      {ValueType::kInt, {Value(std::int64_t{5}), Value(), Value(std::int64_t{-1})}},
      {ValueType::kFloat, {Value(), Value(0.5), Value(-0.0)}},
      {ValueType::kBool, {Value(true), Value(false), Value()}},
      {ValueType::kString, {Value(), Value(std::string("a")), Value(std::string())}},
  };
  for (const auto& [type, values] : kCases) {
    ColumnBuilder builder(type);
    for (const Value& value : values) builder.Append(value);
    const ColumnRef column = std::move(builder).Finish();
    CHECK(column->type() == type);
    REQUIRE(column->size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(column->At(i) == values[i]);

    const std::vector<std::uint32_t> indices = {2, 2, 0, 1};
    const ColumnRef gathered = column->Gather(indices);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      CHECK(gathered->At(i) == values[indices[i]]);
    }
    ColumnBuilder copy(type);
    for (std::size_t i = 0; i < values.size(); ++i) copy.AppendFrom(*column, i);
    CHECK(copy.FirstNull() < values.size());
    CHECK(IsNull(values[copy.FirstNull()]));
  }
}

TEST_CASE("a bitmap of ones only is dropped") {
  const ColumnRef column = Column::Make(Column::Ints{1, 2}, Bitmap(2, true));
  CHECK_FALSE(column->has_nulls());
  CHECK_FALSE(column->IsNullAt(1));
}

TEST_CASE("constants of any type and null") {
  CHECK(Column::Constant(ValueType::kInt, Value(std::int64_t{7}), 3)->At(2) ==
        Value(std::int64_t{7}));
  CHECK(Column::Constant(ValueType::kFloat, Value(std::int64_t{7}), 1)->At(0) == Value(7.0));
  CHECK(Column::Constant(ValueType::kString, Value(std::string("x")), 2)->At(1) ==
        Value(std::string("x")));
  for (const ValueType type :
       {ValueType::kInt, ValueType::kFloat, ValueType::kBool, ValueType::kString}) {
    const ColumnRef column = Column::Constant(type, Value(), 65);
    CHECK(column->size() == 65);
    CHECK(IsNull(column->At(64)));
  }
  CHECK(Column::Constant(ValueType::kInt, Value(), 0)->size() == 0);
}

}  // namespace
}  // namespace rankd
