#include "tasks/literal_rows.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/number_text.h"

namespace rankd {
namespace {

/// False when `value` is not of the column's type. An int is taken for a float.
bool AppendJson(const Json& value, ColumnBuilder& column) {
  switch (column.type()) {
    case ValueType::kInt:
      if (const std::optional<std::int64_t> integer = value.AsInt()) {
        column.AppendInt(*integer);
        return true;
      }
      return false;
    case ValueType::kFloat:
      if (const std::optional<double> number = value.AsNumber()) {
        column.AppendFloat(*number);
        return true;
      }
      return false;
    case ValueType::kBool:
      if (const std::optional<bool> flag = value.AsBool()) {
        column.AppendBool(*flag);
        return true;
      }
      return false;
    case ValueType::kString:
      if (const std::optional<std::string_view> text = value.AsString()) {
        column.AppendString(*text);
        return true;
      }
      return false;
  }
  return false;
}

std::string InQuotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

/// Reads rows one after the other into columns that begin where a row first names their key.
class LiteralRows {
 public:
  LiteralRows(TaskBuilder& builder, std::size_t rows) : builder_(builder) { ids_.reserve(rows); }

  void Add(const Json& row) {
    if (!row.is_object()) {
      Problem("", "a row must be an object, not " + row.Describe());
    } else {
      AddId(row);
      std::size_t place = 0;
      for (const JsonField& field : row.fields()) {
        if (!IsId(field.name)) AddField(field, place++);
      }
    }
    ++row_;
    ids_.resize(row_);  // a row without an id is a problem already
  }

  std::optional<RowSet> Finish() && {
    for (LiteralColumn& column : columns_) FillUpTo(row_, column);
    if (!right_) return std::nullopt;
    std::vector<RowSet::Entry> entries;
    entries.push_back({kIdKey, Column::Make(std::move(ids_))});
    for (LiteralColumn& column : columns_) {
      entries.push_back({column.key, std::move(column.values).Finish()});
    }
    std::sort(entries.begin(), entries.end(),
              [](const RowSet::Entry& a, const RowSet::Entry& b) { return a.key < b.key; });
    return RowSet(std::move(entries));
  }

 private:
  struct LiteralColumn {
    KeyId key;
    std::string_view name;  ///< As the first row that has it writes it.
    ColumnBuilder values;
  };

  void Problem(std::string_view below_row, std::string message) {
    builder_.Problem(JsonPointer("/rows", row_) + std::string(below_row), std::move(message));
    right_ = false;
  }

  bool IsId(std::string_view name) const {
    const std::optional<std::int64_t> registry_id = ParseInt(name);
    return registry_id ? builder_.schema().FindKey(*registry_id) == kIdKey : name == "id";
  }

  void AddId(const Json& row) {
    const Json* id = nullptr;
    for (const JsonField& field : row.fields()) {
      if (!IsId(field.name)) continue;
      if (id != nullptr) Problem(JsonPointer("", field.name), "\"id\" stands twice");
      id = &field.value;
    }
    if (id == nullptr || id->is_null()) {
      Problem("", "the row has no integer \"id\"");
    } else if (const std::optional<std::int64_t> value = id->AsInt()) {
      ids_.push_back(*value);
    } else {
      Problem("/id", "\"id\" must be a 64-bit integer, not " + id->Describe());
    }
  }

  /// `place`: among the row's fields; rows mostly name their keys in one order.
  void AddField(const JsonField& field, std::size_t place) {
    LiteralColumn* column = FindColumn(field.name, place);
    if (column == nullptr || field.value.is_null()) return;
    FillUpTo(row_, *column);
    if (column->values.size() > row_) {
      Problem(JsonPointer("", field.name), InQuotes(field.name) + " stands twice");
    } else if (!AppendJson(field.value, column->values)) {
      Problem(JsonPointer("", field.name), InQuotes(field.name) + " must be of type " +
                                               std::string(TypeName(column->values.type())) +
                                               ", not " + field.value.Describe());
      column->values.AppendNull();
    }
  }

  LiteralColumn* FindColumn(std::string_view name, std::size_t place) {
    if (place < columns_.size() && columns_[place].name == name) return &columns_[place];
    if (const auto known = by_name_.find(name); known != by_name_.end()) {
      return &columns_[known->second];
    }
    const std::string at = JsonPointer(JsonPointer("/rows", row_), name);
    const std::optional<KeyId> key = builder_.KeyNamed(name, at, KeyUse::kWrite);
    if (!key) {
      right_ = false;
      return nullptr;
    }
    std::size_t i = 0;  // the key may be known by its other name
    while (i < columns_.size() && columns_[i].key != *key) ++i;
    if (i == columns_.size()) {
      const ValueType type = builder_.schema().key(*key).type;
      columns_.push_back({*key, name, ColumnBuilder(type, ids_.capacity())});
    }
    by_name_.emplace(name, i);
    return &columns_[i];
  }

  /// Fills rows that lack the column's key, up to `row`.
  void FillUpTo(std::size_t row, LiteralColumn& column) {
    const KeySpec& spec = builder_.schema().key(column.key);
    while (column.values.size() < row) column.values.Append(spec.default_value);
  }

  TaskBuilder& builder_;
  std::size_t row_ = 0;
  Column::Ints ids_;
  std::vector<LiteralColumn> columns_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  bool right_ = true;
};

}  // namespace

std::optional<RowSet> ReadLiteralRows(TaskBuilder& builder, const Json& rows) {
  if (!rows.is_array()) {
    builder.Problem("/rows", "\"rows\" must be an array of objects, not " + rows.Describe());
    return std::nullopt;
  }
  LiteralRows literal(builder, rows.items().size());
  for (const Json& row : rows.items()) literal.Add(row);
  return std::move(literal).Finish();
}

}  // namespace rankd
