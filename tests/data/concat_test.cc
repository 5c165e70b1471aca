#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/data/rowset.h"

namespace rankd {
namespace {

/// A schema with one nullable key of each type and one with a default.
Schema TestSchema() {
  Schema schema;
  for (const ValueType type :
       {ValueType::kInt, ValueType::kFloat, ValueType::kBool, ValueType::kString}) {
    KeySpec spec;
    spec.name = std::string("k_") + std::string(TypeName(type));
    spec.type = type;
    if (type == ValueType::kFloat) spec.default_value = 0.5;
    schema.AddKey(spec);
  }
  return schema;
}

Value RandomValue(ValueType type, std::mt19937& random) {
  if (random() % 4 == 0) return {};
  switch (type) {
    case ValueType::kInt:
      return static_cast<std::int64_t>(random() % 100);
    case ValueType::kFloat:
      return static_cast<double>(random() % 100) / 4;
    case ValueType::kBool:
      return random() % 2 == 0;
    case ValueType::kString:
      return "s" + std::to_string(random() % 20);
  }
  return {};
}

RowSet RandomRows(const Schema& schema, std::mt19937& random) {
  const std::size_t rows = random() % 20;
  Column::Ints ids(rows);
  for (std::int64_t& id : ids) id = static_cast<std::int64_t>(random() % 1000);
  RowSet result(Column::Make(std::move(ids)));
  for (std::uint32_t key = 1; key < schema.key_count(); ++key) {
    if (random() % 3 == 0) continue;
    ColumnBuilder builder(schema.key(KeyId{key}).type);
    for (std::size_t i = 0; i < rows; ++i) builder.Append(RandomValue(builder.type(), random));
    result = result.WithColumn(KeyId{key}, std::move(builder).Finish());
  }
  if (rows > 0 && random() % 2 == 0) {
    Selection selection(random() % 25);
    for (std::uint32_t& row : selection) row = static_cast<std::uint32_t>(random() % rows);
    result = result.WithSelection(std::make_shared<const Selection>(std::move(selection)));
  }
  return result;
}

TEST_CASE("concat equals a row-by-row reference") {
  const Schema schema = TestSchema();
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<RowSet> parts;
    for (std::size_t i = 0, n = 1 + random() % 4; i < n; ++i) {
      parts.push_back(random() % 5 == 0 && i > 0 ? parts[0] : RandomRows(schema, random));
    }
    const Result<RowSet> joined = Concat(schema, parts);
    REQUIRE(joined.has_value());
    for (std::uint32_t key = 0; key < schema.key_count(); ++key) {
      bool carried = false;
      for (const RowSet& part : parts) carried |= part.Find(KeyId{key}) != nullptr;
      const Column* column = joined->Find(KeyId{key});
      REQUIRE((column != nullptr) == carried);
      if (column == nullptr) continue;
      std::size_t row = 0;
      for (const RowSet& part : parts) {
        for (std::size_t i = 0; i < part.rows(); ++i, ++row) {
          const Column* from = part.Find(KeyId{key});
          const Value want =
              from != nullptr ? from->At(part.BaseRow(i)) : schema.key(KeyId{key}).default_value;
          REQUIRE(column->At(row) == want);
        }
      }
      CHECK(row == joined->rows());
    }
  }
}

TEST_CASE("a part that lacks a key which may not be null fails, unless it has no rows") {
  Schema schema;
  KeySpec spec;
  spec.name = "n";
  spec.nullable = false;
  const KeyId key = schema.AddKey(spec);
  const RowSet with =
      RowSet(Column::Make(Column::Ints{1})).WithColumn(key, Column::Make(Column::Ints{5}));
  const RowSet without(Column::Make(Column::Ints{2}));
  const std::vector<RowSet> both = {with, without};
  const Result<RowSet> failed = Concat(schema, both);
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code == ErrorCode::kNullValue);
  CHECK(failed.error().message.find("id 2") != std::string::npos);
  const std::vector<RowSet> empty = {with, RowSet()};
  CHECK(Concat(schema, empty).has_value());
}

}  // namespace
}  // namespace rankd
