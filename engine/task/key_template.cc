#include "engine/task/key_template.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/suggest.h"

namespace rankd {
namespace {

std::unexpected<Error> UnknownKey(std::string_view name, const Schema& schema) {
  std::string message = "unknown key ";
  AppendJsonString(message, name);
  message += DidYouMean(name, schema.KeyNames());
  return Fail(ErrorCode::kInvalidPlan, std::move(message));
}

void AppendValue(const Column& column, std::uint32_t row, std::string& out) {
  switch (column.type()) {
    case ValueType::kInt:
      AppendInt(out, column.ints()[row]);
      return;
    case ValueType::kFloat:
      AppendFloat(out, column.floats()[row]);
      return;
    case ValueType::kBool:
      out += column.bools()[row] != 0 ? "true" : "false";
      return;
    case ValueType::kString:
      out += column.dictionary()->At(column.codes()[row]);
      return;
  }
}

}  // namespace

Result<KeyTemplate> KeyTemplate::Parse(std::string_view text, const Schema& schema) {
  KeyTemplate result;
  std::size_t literal = 0;
  while (true) {
    const std::size_t brace = text.find_first_of("{}", literal);
    if (brace == std::string_view::npos) break;
    if (text[brace] == '}') {
      return Fail(ErrorCode::kInvalidPlan, "a \"}\" in a key template closes no \"{\"");
    }
    const std::size_t end = text.find_first_of("{}", brace + 1);
    if (end == std::string_view::npos || text[end] == '{') {
      return Fail(ErrorCode::kInvalidPlan,
                  "a \"{\" in a key template is not closed: write {name}, name a key of the row");
    }
    const std::string_view name = text.substr(brace + 1, end - brace - 1);
    if (name.empty()) {
      return Fail(ErrorCode::kInvalidPlan,
                  "\"{}\" in a key template names no key: write {name}, such as {id}");
    }
    const std::optional<KeyId> key = schema.FindKey(name);
    if (!key) return UnknownKey(name, schema);
    result.parts_.push_back({std::string(text.substr(literal, brace - literal)), *key});
    literal = end + 1;
  }
  result.tail_ = text.substr(literal);
  if (result.parts_.size() == 1 && result.uses_only_id()) {
    result.pattern_.emplace(result.parts_[0].literal, result.tail_);
  }
  return result;
}

Result<void> KeyTemplate::Append(const RowSet& rows, std::size_t row, const Schema& schema,
                                 std::string& out) const {
  const std::uint32_t base_row = rows.BaseRow(row);
  for (const Part& part : parts_) {
    out += part.literal;
    const Column* column = rows.Find(part.key);
    if (column == nullptr || column->IsNullAt(base_row)) {
      std::string message = "the Redis key needs \"" + schema.key(part.key).name + "\", which is ";
      message += column == nullptr ? "not carried by the rows" : "null";
      message += " (row with id ";
      AppendInt(message, rows.IdAt(row));
      message += ")";
      return Fail(ErrorCode::kBadData, std::move(message));
    }
    AppendValue(*column, base_row, out);
  }
  out += tail_;
  return {};
}

std::string KeyTemplate::ForId(std::int64_t id) const {
  std::string key;
  for (const Part& part : parts_) {
    key += part.literal;
    AppendInt(key, id);
  }
  key += tail_;
  return key;
}

bool KeyTemplate::uses_only_id() const {
  return std::ranges::all_of(parts_, [](const Part& part) { return part.key == kIdKey; });
}

std::vector<KeyId> KeyTemplate::keys() const {
  std::vector<KeyId> keys;
  keys.reserve(parts_.size());
  for (const Part& part : parts_) keys.push_back(part.key);
  return keys;
}

}  // namespace rankd
