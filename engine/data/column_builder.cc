#include "engine/base/check.h"
#include "engine/data/column.h"

namespace rankd {

ColumnBuilder::ColumnBuilder(ValueType type, std::size_t reserve) : type_(type) {
  switch (type) {
    case ValueType::kInt:
      ints_.reserve(reserve);
      break;
    case ValueType::kFloat:
      floats_.reserve(reserve);
      break;
    case ValueType::kBool:
      bools_.reserve(reserve);
      break;
    case ValueType::kString:
      codes_.reserve(reserve);
      break;
  }
}

void ColumnBuilder::AppendString(std::string_view value) {
  RANKD_CHECK(type_ == ValueType::kString);
  codes_.push_back(dictionary_.Intern(value));
  Valid();
}

void ColumnBuilder::AppendNulls(std::size_t count) {
  if (count == 0) return;
  if (validity_.size() == 0) validity_ = Bitmap(size_, true);
  validity_.AppendZeros(count);
  size_ += count;
  // Grows as push_back would: one after the other may come.
  const auto append = [count](auto& slots) { slots.insert(slots.end(), count, 0); };
  switch (type_) {
    case ValueType::kInt:
      append(ints_);
      break;
    case ValueType::kFloat:
      append(floats_);
      break;
    case ValueType::kBool:
      append(bools_);
      break;
    case ValueType::kString:
      append(codes_);
      break;
  }
}

void ColumnBuilder::Append(const Value& value) {
  if (IsNull(value)) {
    AppendNull();
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (type_ == ValueType::kFloat) {
      AppendFloat(static_cast<double>(*integer));
    } else {
      AppendInt(*integer);
    }
  } else if (const auto* number = std::get_if<double>(&value)) {
    AppendFloat(*number);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    AppendBool(*flag);
  } else {
    AppendString(std::get<std::string>(value));
  }
}

void ColumnBuilder::AppendFrom(const Column& column, std::size_t row) {
  RANKD_CHECK(column.type() == type_);
  if (column.IsNullAt(row)) {
    AppendNull();
    return;
  }
  switch (type_) {
    case ValueType::kInt:
      AppendInt(column.ints()[row]);
      break;
    case ValueType::kFloat:
      AppendFloat(column.floats()[row]);
      break;
    case ValueType::kBool:
      AppendBool(column.bools()[row] != 0);
      break;
    case ValueType::kString:
      AppendString(column.dictionary()->At(column.codes()[row]));
      break;
  }
}

std::size_t ColumnBuilder::FirstNull() const {
  for (std::size_t i = 0; i < validity_.size(); ++i) {
    if (!validity_.Get(i)) return i;
  }
  return size_;
}

ColumnRef ColumnBuilder::Finish() && {
  switch (type_) {
    case ValueType::kInt:
      return Column::Make(std::move(ints_), std::move(validity_));
    case ValueType::kFloat:
      return Column::Make(std::move(floats_), std::move(validity_));
    case ValueType::kBool:
      return Column::Make(std::move(bools_), std::move(validity_));
    case ValueType::kString:
      return Column::Make(Column::Strings{std::move(codes_), std::move(dictionary_).Finish()},
                          std::move(validity_));
  }
  return nullptr;
}

}  // namespace rankd
