// Columns: typed values of many rows, immutable once built, shared between RowSets and threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/string_index.h"
#include "engine/data/value.h"

namespace rankd {

/// One bit a row, 64 to a word; bits past size() are zero.
class Bitmap {
 public:
  Bitmap() = default;
  Bitmap(std::size_t size, bool value);

  std::size_t size() const { return size_; }
  bool Get(std::size_t i) const { return (words_[i >> 6] >> (i & 63) & 1) != 0; }
  void Set(std::size_t i) { words_[i >> 6] |= std::uint64_t{1} << (i & 63); }
  void Clear(std::size_t i) { words_[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
  void Append(bool value) {
    if ((size_ & 63) == 0) words_.push_back(0);
    if (value) words_[size_ >> 6] |= std::uint64_t{1} << (size_ & 63);
    ++size_;
  }
  void AppendZeros(std::size_t count) {
    size_ += count;
    words_.resize((size_ + 63) / 64);
  }
  std::size_t Count() const;
  std::span<const std::uint64_t> words() const { return words_; }
  std::span<std::uint64_t> mutable_words() { return words_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

/// The distinct strings of a column, numbered from 0 in order of first appearance. No repeats, so
/// equal codes of one dictionary mean equal strings and the other way round.
class Dictionary {
 public:
  std::size_t size() const { return ends_.size(); }
  std::string_view At(std::uint32_t code) const {
    const std::size_t begin = code == 0 ? 0 : ends_[code - 1];
    return std::string_view(bytes_).substr(begin, ends_[code] - begin);
  }

 private:
  friend class DictionaryBuilder;
  std::string bytes_;
  std::vector<std::size_t> ends_;
};
using DictionaryRef = std::shared_ptr<const Dictionary>;

/// Interns strings. Few distinct strings are looked up without hashing.
class DictionaryBuilder {
 public:
  /// The code of `text`, new or known.
  std::uint32_t Intern(std::string_view text);
  /// The same, if it is known or `fits(text)` holds; nullopt if not. A text is asked for once.
  template <typename Fits>
  std::optional<std::uint32_t> InternIf(std::string_view text, Fits&& fits) {
    const std::uint32_t known = Find(text);
    if (known != StringIndex::kNone) return known;
    if (!fits(text)) return std::nullopt;
    return Insert(text);
  }
  std::size_t size() const { return dictionary_ == nullptr ? 0 : dictionary_->size(); }
  DictionaryRef Finish() &&;

 private:
  /// kNone where it is new.
  std::uint32_t Find(std::string_view text) const;
  /// One that is new.
  std::uint32_t Insert(std::string_view text);

  std::shared_ptr<Dictionary> dictionary_;  ///< nullptr: no string yet.
  StringIndex codes_;                       ///< Empty while there are few.
};

class Column;
using ColumnRef = std::shared_ptr<const Column>;

/// Values of one type with an optional validity bitmap (none: no nulls). The slot of a null row
/// holds an unspecified but initialised value (a string code of a null row is below
/// max(1, dictionary size)), so that loops may run over all slots.
class Column {
  struct Key {};  // only Make has one, which lets make_shared in

 public:
  using Ints = std::vector<std::int64_t>;
  using Floats = std::vector<double>;
  using Bools = std::vector<std::uint8_t>;  ///< 0 or 1
  struct Strings {
    std::vector<std::uint32_t> codes;
    DictionaryRef dictionary;  ///< Never null.
  };

  using Data = std::variant<Ints, Floats, Bools, Strings>;  ///< In the order of ValueType.
  Column(Key, Data data, std::size_t size, Bitmap validity);

  /// `validity`: empty, or one bit a row (1: not null). A bitmap of ones only is dropped.
  static ColumnRef Make(Ints values, Bitmap validity = {});
  static ColumnRef Make(Floats values, Bitmap validity = {});
  static ColumnRef Make(Bools values, Bitmap validity = {});
  static ColumnRef Make(Strings values, Bitmap validity = {});
  /// `rows` times the same value, or null; `value` must be null or of `type`.
  static ColumnRef Constant(ValueType type, const Value& value, std::size_t rows);

  ValueType type() const { return static_cast<ValueType>(data_.index()); }
  std::size_t size() const { return size_; }
  bool has_nulls() const { return validity_.size() != 0; }
  bool IsNullAt(std::size_t i) const { return has_nulls() && !validity_.Get(i); }
  /// Empty when there are no nulls.
  const Bitmap& validity() const { return validity_; }

  /// The slots; the type must be that (RANKD_CHECK).
  std::span<const std::int64_t> ints() const;
  std::span<const double> floats() const;
  std::span<const std::uint8_t> bools() const;
  std::span<const std::uint32_t> codes() const;
  const DictionaryRef& dictionary() const;

  /// One value, copied: for tests and error paths.
  Value At(std::size_t i) const;

  /// The rows `indices` of this column, in that order. O(indices); the dictionary is shared.
  ColumnRef Gather(std::span<const std::uint32_t> indices) const;

 private:
  Data data_;
  std::size_t size_;
  Bitmap validity_;
};

/// Grows a column of one type value by value.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(ValueType type, std::size_t reserve = 0);

  ValueType type() const { return type_; }
  std::size_t size() const { return size_; }
  /// The type must be the builder's (RANKD_CHECK).
  void AppendInt(std::int64_t value) {
    RANKD_CHECK(type_ == ValueType::kInt);
    ints_.push_back(value);
    Valid();
  }
  void AppendFloat(double value) {
    RANKD_CHECK(type_ == ValueType::kFloat);
    floats_.push_back(value);
    Valid();
  }
  void AppendBool(bool value) {
    RANKD_CHECK(type_ == ValueType::kBool);
    bools_.push_back(value ? 1 : 0);
    Valid();
  }
  void AppendString(std::string_view value);
  /// The same, where `fits(value)` holds; whether it does. A text is asked for once.
  template <typename Fits>
  bool AppendStringIf(std::string_view value, Fits&& fits) {
    RANKD_CHECK(type_ == ValueType::kString);
    const std::optional<std::uint32_t> code = dictionary_.InternIf(value, fits);
    if (!code) return false;
    codes_.push_back(*code);
    Valid();
    return true;
  }
  void AppendNull() { AppendNulls(1); }
  void AppendNulls(std::size_t count);
  /// Null, or a value of the builder's type (an int is taken by a float column).
  void Append(const Value& value);
  /// Row `row` of `column`, which has the builder's type.
  void AppendFrom(const Column& column, std::size_t row);

  bool has_nulls() const { return validity_.size() != 0; }
  /// The first row appended as null; size() if there is none. O(rows).
  std::size_t FirstNull() const;
  ColumnRef Finish() &&;

 private:
  void Valid() {
    if (validity_.size() != 0) validity_.Append(true);
    ++size_;
  }

  ValueType type_;
  std::size_t size_ = 0;
  Column::Ints ints_;
  Column::Floats floats_;
  Column::Bools bools_;
  std::vector<std::uint32_t> codes_;
  DictionaryBuilder dictionary_;
  Bitmap validity_;
};

}  // namespace rankd
