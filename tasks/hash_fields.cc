#include "tasks/hash_fields.h"

#include <algorithm>
#include <utility>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"
#include "tasks/quote.h"
#include "tasks/replies.h"

namespace rankd {
namespace {

std::optional<bool> ParseBool(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

/// False when `text` is no value of the column's type.
bool AppendText(std::string_view text, ColumnBuilder& column) {
  switch (column.type()) {
    case ValueType::kInt:
      if (const std::optional<std::int64_t> value = ParseInt(text)) {
        column.AppendInt(*value);
        return true;
      }
      return false;
    case ValueType::kFloat:
      if (const std::optional<double> value = ParseFloat(text)) {
        column.AppendFloat(*value);
        return true;
      }
      return false;
    case ValueType::kBool:
      if (const std::optional<bool> value = ParseBool(text)) {
        column.AppendBool(*value);
        return true;
      }
      return false;
    case ValueType::kString:
      if (!IsValidUtf8(text)) return false;
      column.AppendString(text);
      return true;
  }
  return false;
}

std::string_view Demand(ValueType type) {
  switch (type) {
    case ValueType::kInt:
      return "no 64-bit integer";
    case ValueType::kFloat:
      return "no finite number";
    case ValueType::kBool:
      return "none of true, false, 1 and 0";
    case ValueType::kString:
      return "not UTF-8";
  }
  return "";
}

std::vector<KeyId> Distinct(std::vector<KeyId> keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

HashFieldNames NamesOf(std::span<const KeyId> keys, const Schema& schema) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const KeyId key : keys) names.push_back(schema.key(key).name);
  return HashFieldNames(std::move(names));
}

}  // namespace

HashFields::HashFields(std::vector<KeyId> keys, const Schema& schema)
    : keys_(Distinct(std::move(keys))), names_(NamesOf(keys_, schema)) {
  for (const KeyId key : keys_) {
    const KeySpec& spec = schema.key(key);
    fields_.push_back(
        {spec.type, spec.default_value, spec.nullable || !IsNull(spec.default_value)});
  }
}

void HashFields::AddTo(KeySet& keys) const {
  for (const KeyId key : keys_) keys.Add(key);
}

void HashFields::Ask(std::string_view redis_key, CommandBatch& commands) const {
  commands.HMGet(redis_key, names_);
}

void HashFields::AskEach(std::span<const std::int64_t> ids, const KeyTemplate& key,
                         CommandBatch& commands) const {
  if (const KeyPattern* pattern = key.pattern()) return commands.HMGetEach(ids, *pattern, names_);
  for (const std::int64_t id : ids) commands.HMGet(key.ForId(id), names_);
}

std::vector<ColumnBuilder> HashFields::Builders(std::size_t rows) const {
  std::vector<ColumnBuilder> builders;
  builders.reserve(fields_.size());
  for (const Field& field : fields_) builders.emplace_back(field.type, rows);
  return builders;
}

std::vector<ColumnRef> HashFields::Finish(std::vector<ColumnBuilder> builders) const {
  if (builders.empty()) builders = Builders(0);
  std::vector<ColumnRef> columns;
  columns.reserve(builders.size());
  for (ColumnBuilder& builder : builders) columns.push_back(std::move(builder).Finish());
  return columns;
}

bool HashFields::Append(std::size_t field, const ReplyNode* value, ColumnBuilder& column) const {
  if (value != nullptr && value->kind == ReplyKind::kString) {
    return AppendText(value->text(), column);
  }
  if (value != nullptr && value->kind != ReplyKind::kNil) return false;
  if (!fields_[field].may_lack) return false;
  column.Append(fields_[field].fill);
  return true;
}

std::unexpected<Error> HashFields::Refusal(std::size_t field, const ReplyNode* value,
                                           std::string_view redis_key, std::int64_t id) const {
  const std::string& name = names_.names()[field];
  if (value == nullptr || value->kind == ReplyKind::kNil) {
    return Fail(ErrorCode::kNullValue, "key \"" + name + "\" of id " + std::to_string(id) +
                                           " may not be null, but " + Quote(redis_key) +
                                           " lacks it");
  }
  if (value->kind != ReplyKind::kString) {
    return BadReply(redis_key, *value, "the value of field \"" + name + "\" is no string");
  }
  return BadReply(redis_key, *value,
                  "field \"" + name + "\" is " + Quote(value->text()) + ", " +
                      std::string(Demand(fields_[field].type)));
}

// A column at a time: what depends on its type is decided once.
Result<std::size_t> HashFields::ReadHMGet(const HMGetReplies& all, std::size_t begin,
                                          std::vector<ColumnBuilder>& columns) const {
  if (begin == 0) RANKD_TRY(CheckCount(all.commands, all.replies));
  const std::size_t most = std::max<std::size_t>(1, kValuesPerTurn / fields_.size());
  const std::size_t end = std::min(all.replies.size(), begin + most);
  const auto replies = all.replies.roots(begin, end);
  // Arrays of so many elements, which follow, and of which none holds others.
  const bool plain = std::ranges::all_of(replies, [width = fields_.size()](const auto& of) {
    return of.kind == ReplyKind::kArray && of.size == width && of.span() == width + 1;
  });
  if (!plain) return FirstRefusal(all);
  if (columns.empty()) columns = Builders(all.rows.rows());
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    if (!AppendAll(field, replies, columns[field])) return FirstRefusal(all);
  }
  return end;
}

template <typename Replies>
bool HashFields::AppendAll(std::size_t field, const Replies& replies, ColumnBuilder& column) const {
  // `append` takes a text, and tells whether it is a value.
  const bool fill_is_null = fields_[field].may_lack && IsNull(fields_[field].fill);
  const auto append_all = [&](auto&& append) {
    std::size_t nulls = 0;  // that have not been appended
    for (const ReplyNode& reply : replies) {
      const ReplyNode* value = &reply + 1 + field;
      if (fill_is_null && value->kind == ReplyKind::kNil) {
        ++nulls;
        continue;
      }
      column.AppendNulls(std::exchange(nulls, 0));
      if (value->kind == ReplyKind::kString) {
        if (!append(value->text())) return false;
      } else if (!Append(field, value, column)) {
        return false;
      }
    }
    column.AppendNulls(nulls);
    return true;
  };
  switch (fields_[field].type) {
    case ValueType::kInt:
      return append_all([&](std::string_view text) {
        const std::optional<std::int64_t> value = ParseInt(text);
        if (value) column.AppendInt(*value);
        return value.has_value();
      });
    case ValueType::kFloat:
      return append_all([&](std::string_view text) {
        const std::optional<double> value = ParseFloat(text);
        if (value) column.AppendFloat(*value);
        return value.has_value();
      });
    case ValueType::kBool:
      return append_all([&](std::string_view text) {
        const std::optional<bool> value = ParseBool(text);
        if (value) column.AppendBool(*value);
        return value.has_value();
      });
    case ValueType::kString:
      // What is known already has been looked at.
      return append_all(
          [&](std::string_view text) { return column.AppendStringIf(text, IsValidUtf8); });
  }
  return false;
}

std::unexpected<Error> HashFields::FirstRefusal(const HMGetReplies& all) const {
  const auto& [commands, replies, rows, first_row] = all;
  std::vector<ColumnBuilder> builders = Builders(0);
  for (std::size_t row = 0; row < replies.size(); ++row) {
    const ReplyNode& reply = replies[row];
    if (Result<void> checked = CheckArray(commands, row, reply); !checked) {
      return std::unexpected(std::move(checked).error());
    }
    if (reply.size != fields_.size()) {
      return BadReply(commands.key(row), reply,
                      "HMGET of " + std::to_string(fields_.size()) + " fields gave " +
                          std::to_string(reply.size) + " values");
    }
    const ReplyNode* value = reply.elements();
    for (std::size_t field = 0; field < fields_.size(); ++field, value += value->span()) {
      if (!Append(field, value, builders[field])) {
        return Refusal(field, value, commands.key(row), rows.IdAt(first_row + row));
      }
    }
  }
  return Fail(ErrorCode::kInternal, "replies were refused for no reason");
}

Result<std::vector<ColumnRef>> HashFields::ReadHGetAll(const CommandBatch& commands,
                                                       const Replies& replies,
                                                       const RowSet& rows) const {
  RANKD_TRY(CheckCount(commands, replies));
  std::vector<ColumnBuilder> builders = Builders(rows.rows());
  std::vector<const ReplyNode*> values(fields_.size());
  for (std::size_t row = 0; row < replies.size(); ++row) {
    const ReplyNode& reply = replies[row];
    RANKD_TRY(CheckArray(commands, row, reply));
    if (reply.size % 2 != 0) {
      return BadReply(commands.key(row), reply, "HGETALL gave a field without a value");
    }
    std::fill(values.begin(), values.end(), nullptr);
    const ReplyNode* name = reply.elements();
    for (std::uint32_t i = 0; i < reply.size; i += 2) {
      if (name->kind != ReplyKind::kString) {
        return BadReply(commands.key(row), *name, "HGETALL gave a field name that is no string");
      }
      const ReplyNode* value = name + 1;
      for (std::size_t field = 0; field < names_.size(); ++field) {
        if (name->text() == names_.names()[field]) values[field] = value;
      }
      name = value + value->span();
    }
    for (std::size_t field = 0; field < fields_.size(); ++field) {
      if (!Append(field, values[field], builders[field])) {
        return Refusal(field, values[field], commands.key(row), rows.IdAt(row));
      }
    }
  }
  return Finish(std::move(builders));
}

RowSet HashFields::MakeRows(ColumnRef ids, std::vector<ColumnRef> columns) const {
  std::vector<RowSet::Entry> entries;
  entries.reserve(keys_.size() + 1);
  entries.push_back({kIdKey, std::move(ids)});
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    entries.push_back({keys_[i], std::move(columns[i])});
  }
  return RowSet(std::move(entries));
}

RowSet HashFields::WriteTo(RowSet rows, std::vector<ColumnRef> columns) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    rows = rows.WithColumn(keys_[i], std::move(columns[i]));
  }
  return rows;
}

}  // namespace rankd
