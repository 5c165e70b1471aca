#include "engine/data/column.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "engine/base/check.h"

namespace rankd {

Bitmap::Bitmap(std::size_t size, bool value)
    : words_((size + 63) / 64, value ? ~std::uint64_t{0} : 0), size_(size) {
  if (value && size % 64 != 0) words_.back() = (std::uint64_t{1} << (size % 64)) - 1;
}

std::size_t Bitmap::Count() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

namespace {

/// Up to here a linear search beats hashing: one comparison of a length and some bytes each.
constexpr std::size_t kLinearSearch = 8;

}  // namespace

std::uint32_t DictionaryBuilder::Intern(std::string_view text) {
  const std::uint32_t known = Find(text);
  return known != StringIndex::kNone ? known : Insert(text);
}

std::uint32_t DictionaryBuilder::Find(std::string_view text) const {
  if (codes_.size() > 0) {
    return codes_.Find(text, [this](std::uint32_t code) { return dictionary_->At(code); });
  }
  const auto count = static_cast<std::uint32_t>(size());
  for (std::uint32_t code = 0; code < count; ++code) {
    if (dictionary_->At(code) == text) return code;
  }
  return StringIndex::kNone;
}

std::uint32_t DictionaryBuilder::Insert(std::string_view text) {
  if (dictionary_ == nullptr) {
    dictionary_ = std::make_shared<Dictionary>();
    dictionary_->ends_.reserve(kLinearSearch);
  }
  const auto code = static_cast<std::uint32_t>(size());
  dictionary_->bytes_.append(text);
  dictionary_->ends_.push_back(dictionary_->bytes_.size());
  if (size() <= kLinearSearch) return code;
  const auto text_of = [this](std::uint32_t known) { return dictionary_->At(known); };
  for (auto next = static_cast<std::uint32_t>(codes_.size()); next <= code; ++next) {
    codes_.FindOrInsert(text_of(next), next, text_of);
  }
  return code;
}

DictionaryRef DictionaryBuilder::Finish() && {
  if (dictionary_ == nullptr) return std::make_shared<Dictionary>();
  return std::move(dictionary_);
}

Column::Column(Key, Data data, std::size_t size, Bitmap validity)
    : data_(std::move(data)), size_(size), validity_(std::move(validity)) {
  RANKD_CHECK(validity_.size() == 0 || validity_.size() == size_);
  if (validity_.size() != 0 && validity_.Count() == size_) validity_ = Bitmap();
}

ColumnRef Column::Make(Ints values, Bitmap validity) {
  const std::size_t size = values.size();
  return std::make_shared<const Column>(Key(), std::move(values), size, std::move(validity));
}
ColumnRef Column::Make(Floats values, Bitmap validity) {
  const std::size_t size = values.size();
  return std::make_shared<const Column>(Key(), std::move(values), size, std::move(validity));
}
ColumnRef Column::Make(Bools values, Bitmap validity) {
  const std::size_t size = values.size();
  return std::make_shared<const Column>(Key(), std::move(values), size, std::move(validity));
}
ColumnRef Column::Make(Strings values, Bitmap validity) {
  RANKD_CHECK(values.dictionary != nullptr);
  const std::size_t size = values.codes.size();
  return std::make_shared<const Column>(Key(), std::move(values), size, std::move(validity));
}

ColumnRef Column::Constant(ValueType type, const Value& value, std::size_t rows) {
  const bool null = IsNull(value);
  Bitmap validity = null ? Bitmap(rows, false) : Bitmap();
  switch (type) {
    case ValueType::kInt:
      return Make(Ints(rows, null ? 0 : std::get<std::int64_t>(value)), std::move(validity));
    case ValueType::kFloat: {
      double number = 0;
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        number = static_cast<double>(*integer);
      } else if (!null) {
        number = std::get<double>(value);
      }
      return Make(Floats(rows, number), std::move(validity));
    }
    case ValueType::kBool:
      return Make(Bools(rows, !null && std::get<bool>(value) ? 1 : 0), std::move(validity));
    case ValueType::kString: {
      DictionaryBuilder dictionary;
      if (!null) dictionary.Intern(std::get<std::string>(value));
      return Make(Strings{std::vector<std::uint32_t>(rows, 0), std::move(dictionary).Finish()},
                  std::move(validity));
    }
  }
  return nullptr;
}

std::span<const std::int64_t> Column::ints() const {
  const Ints* values = std::get_if<Ints>(&data_);
  RANKD_CHECK(values != nullptr);
  return *values;
}
std::span<const double> Column::floats() const {
  const Floats* values = std::get_if<Floats>(&data_);
  RANKD_CHECK(values != nullptr);
  return *values;
}
std::span<const std::uint8_t> Column::bools() const {
  const Bools* values = std::get_if<Bools>(&data_);
  RANKD_CHECK(values != nullptr);
  return *values;
}
std::span<const std::uint32_t> Column::codes() const {
  const Strings* values = std::get_if<Strings>(&data_);
  RANKD_CHECK(values != nullptr);
  return values->codes;
}
const DictionaryRef& Column::dictionary() const {
  const Strings* values = std::get_if<Strings>(&data_);
  RANKD_CHECK(values != nullptr);
  return values->dictionary;
}

Value Column::At(std::size_t i) const {
  if (IsNullAt(i)) return {};
  switch (type()) {
    case ValueType::kInt:
      return ints()[i];
    case ValueType::kFloat:
      return floats()[i];
    case ValueType::kBool:
      return bools()[i] != 0;
    case ValueType::kString:
      return std::string(dictionary()->At(codes()[i]));
  }
  return {};
}

namespace {

template <typename T>
std::vector<T> GatherValues(std::span<const T> values, std::span<const std::uint32_t> indices) {
  std::vector<T> gathered(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) gathered[i] = values[indices[i]];
  return gathered;
}

}  // namespace

ColumnRef Column::Gather(std::span<const std::uint32_t> indices) const {
  Bitmap validity;
  if (has_nulls()) {
    validity = Bitmap(indices.size(), false);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (validity_.Get(indices[i])) validity.Set(i);
    }
  }
  switch (type()) {
    case ValueType::kInt:
      return Make(GatherValues(ints(), indices), std::move(validity));
    case ValueType::kFloat:
      return Make(GatherValues(floats(), indices), std::move(validity));
    case ValueType::kBool:
      return Make(GatherValues(bools(), indices), std::move(validity));
    case ValueType::kString:
      return Make(Strings{GatherValues(codes(), indices), dictionary()}, std::move(validity));
  }
  return nullptr;
}

}  // namespace rankd
