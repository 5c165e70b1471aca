#include "tests/tasks/rows.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "engine/base/check.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"

namespace rankd {
namespace {

Value FromJson(const Json& json, ValueType type) {
  if (json.is_null()) return Value();
  switch (type) {
    case ValueType::kInt:
      return *json.AsInt();
    case ValueType::kFloat:
      return *json.AsNumber();
    case ValueType::kBool:
      return *json.AsBool();
    case ValueType::kString:
      break;
  }
  return std::string(*json.AsString());
}

std::string ShowValue(const Value& value) {
  std::string text;
  if (IsNull(value)) {
    text = "null";
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    AppendInt(text, *integer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    AppendFloat(text, *number);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    text = *flag ? "true" : "false";
  } else {
    AppendJsonString(text, std::get<std::string>(value));
  }
  return text;
}

Value RandomValue(Random& random, const KeySpec& spec) {
  if (spec.nullable && random.OneIn(5)) return Value();
  switch (spec.type) {
    case ValueType::kInt: {
      constexpr std::int64_t kInts[] = {0, 1, -1, 7, INT64_MIN, INT64_MAX};
      return kInts[random.Below(6)];
    }
    case ValueType::kFloat: {
      constexpr double kFloats[] = {0.0, -0.0, 0.5, -2.5, 1e300, -1e-300};
      return kFloats[random.Below(6)];
    }
    case ValueType::kBool:
      return random.OneIn(2);
    case ValueType::kString:
      break;
  }
  const std::string strings[] = {"",          "a",         std::string("a\0", 2), "b", "abcdefgh",
                                 "abcdefghi", "abcdefgha", "\xc3\xa9t\xc3\xa9"};
  return strings[random.Below(8)];
}

}  // namespace

Schema TestSchema() {
  Schema schema;
  const auto add = [&](std::string name, ValueType type, bool nullable = true,
                       Value default_value = {}) {
    KeySpec spec;
    spec.name = std::move(name);
    spec.type = type;
    spec.nullable = nullable;
    spec.default_value = std::move(default_value);
    spec.allow_write = spec.name != "kept";
    spec.registry_id = 1000 + static_cast<std::int64_t>(schema.key_count());
    schema.AddKey(std::move(spec));
  };
  add("score", ValueType::kFloat);
  add("n", ValueType::kInt);
  add("flag", ValueType::kBool);
  add("country", ValueType::kString);
  add("title", ValueType::kString);
  add("age", ValueType::kInt);
  add("final_score", ValueType::kFloat, false, Value(0.5));
  add("must", ValueType::kInt, false);
  add("kept", ValueType::kInt);
  add("n2", ValueType::kInt);
  add("s2", ValueType::kString, true, Value(std::string("none")));
  ParamSpec limit;
  limit.name = "limit";
  limit.default_value = std::int64_t{3};
  schema.AddParam(std::move(limit));
  ParamSpec unset;
  unset.name = "unset";
  schema.AddParam(std::move(unset));
  return schema;
}

KeyId TestKey(std::string_view name) {
  const std::optional<KeyId> key = TestSchema().FindKey(name);
  RANKD_CHECK(key.has_value());
  return *key;
}

RowSet MakeRows(std::string_view json) {
  const Schema schema = TestSchema();
  const Result<JsonDocument> document = ParseJson(json);
  RANKD_CHECK(document.has_value());
  std::vector<KeyId> keys{kIdKey};
  for (const Json& row : document->root().items()) {
    for (const JsonField& field : row.fields()) keys.push_back(*schema.FindKey(field.name));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<RowSet::Entry> entries;
  for (const KeyId key : keys) {
    ColumnBuilder column(schema.key(key).type);
    for (const Json& row : document->root().items()) {
      const Json* value = row.Find(schema.key(key).name);
      column.Append(value == nullptr ? Value() : FromJson(*value, column.type()));
    }
    entries.push_back({key, std::move(column).Finish()});
  }
  return RowSet(std::move(entries));
}

RowSet Select(const RowSet& rows, std::vector<std::uint32_t> selection) {
  return rows.WithSelection(std::make_shared<const Selection>(std::move(selection)));
}

std::string Show(const RowSet& rows) {
  const Schema schema = TestSchema();
  std::string text;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (i > 0) text += " | ";
    AppendInt(text, rows.IdAt(i));
    for (const RowSet::Entry& entry : rows.entries().subspan(1)) {
      text += " " + schema.key(entry.key).name + "=" + ShowValue(entry.column->At(rows.BaseRow(i)));
    }
  }
  return text;
}

std::string ShowKeys(const RowSet& rows) {
  const Schema schema = TestSchema();
  std::string text;
  for (const RowSet::Entry& entry : rows.entries()) {
    text += (text.empty() ? "" : ",") + schema.key(entry.key).name;
  }
  return text;
}

Model ToModel(const RowSet& rows) {
  Model model(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const RowSet::Entry& entry : rows.entries()) {
      model[i][entry.key] = entry.column->At(rows.BaseRow(i));
    }
  }
  return model;
}

const Value& ValueOf(const ModelRow& row, KeyId key) {
  static const Value null;
  const auto found = row.find(key);
  return found == row.end() ? null : found->second;
}

bool SameValue(const Value& a, const Value& b) { return !ValueLess(a, b) && !ValueLess(b, a); }

bool ValueLess(const Value& a, const Value& b) { return a < b; }

std::uint32_t Random::Below(std::uint32_t below) {
  // SplitMix64 (Steele, Lea, Flood).
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) % below);
}

RowSet RandomRows(Random& random, std::uint32_t most,
                  std::initializer_list<std::string_view> keys) {
  const Schema schema = TestSchema();
  const std::uint32_t rows = random.Below(most + 1);
  std::vector<RowSet::Entry> entries;
  Column::Ints ids;
  for (std::uint32_t i = 0; i < rows; ++i) ids.push_back(random.Below(most + 3));
  entries.push_back({kIdKey, Column::Make(std::move(ids))});
  for (const std::string_view name : keys) {
    if (random.OneIn(6)) continue;  // not carried
    const KeyId key = *schema.FindKey(name);
    ColumnBuilder column(schema.key(key).type);
    for (std::uint32_t i = 0; i < rows; ++i) column.Append(RandomValue(random, schema.key(key)));
    entries.push_back({key, std::move(column).Finish()});
  }
  std::sort(entries.begin(), entries.end(),
            [](const RowSet::Entry& a, const RowSet::Entry& b) { return a.key < b.key; });
  RowSet made(std::move(entries));
  if (rows == 0 || random.OneIn(2)) return made;
  std::vector<std::uint32_t> selection;
  const std::uint32_t selected = random.Below(2 * rows);
  for (std::uint32_t i = 0; i < selected; ++i) selection.push_back(random.Below(rows));
  return Select(made, std::move(selection));
}

}  // namespace rankd
