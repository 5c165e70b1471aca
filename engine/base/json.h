// A parsed JSON document as a compact immutable tree, for files (plans, registry, endpoints, data).
// Requests do not come this way: the wire layer reads them in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace rankd {

struct JsonField;

/// One value of a document: 16 bytes, valid as long as its JsonDocument. Any thread (immutable).
class Json {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kInt, kUint, kFloat, kString, kArray, kObject };

  Json() = default;  ///< null

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_string() const { return kind_ == Kind::kString; }

  /// The value if it is of that kind, else nullopt. An integer literal is a kInt when it fits a
  /// signed 64-bit integer, a kUint up to 2^64-1; AsNumber also takes integers.
  std::optional<bool> AsBool() const;
  std::optional<std::int64_t> AsInt() const;
  std::optional<double> AsNumber() const;
  std::optional<std::string_view> AsString() const;

  /// Elements of an array, empty for anything else.
  std::span<const Json> items() const;
  /// Fields of an object in the file's order, repeats included; empty for anything else.
  std::span<const JsonField> fields() const;
  /// The field's value, or nullptr. The first of repeats.
  const Json* Find(std::string_view name) const;

  /// "an object", "the string \"abc\"", "7": for error messages; long values are cut.
  std::string Describe() const;

 private:
  friend class JsonBuilder;
  Kind kind_ = Kind::kNull;
  std::uint32_t size_ = 0;
  union {
    std::uint64_t bits_ = 0;
    std::int64_t int_;
    double float_;
    bool bool_;
    const char* string_;
    const Json* items_;
    const JsonField* fields_;
  };
};

struct JsonField {
  std::string_view name;
  Json value;
};

/// Owns the memory of one parsed document. Move-only; Json values stay valid across moves.
class JsonDocument {
 public:
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  const Json& root() const { return *root_; }

 private:
  friend class JsonBuilder;
  struct Storage;
  explicit JsonDocument(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
  const Json* root_;
};

/// Parses RFC 8259 JSON in UTF-8 (a BOM is skipped). kInvalidJson, with line and column where the
/// parser can tell them, for anything else: numbers no double holds, nesting over 1,000 deep,
/// invalid UTF-8, more than one value.
[[nodiscard]] Result<JsonDocument> ParseJson(std::string_view text);

/// Appends `text` (valid UTF-8) as a JSON string with its quotes. Escapes only what RFC 8259
/// demands; other characters stay as they are.
void AppendJsonString(std::string& out, std::string_view text);

/// Appends "/" and `token`, with ~ and / escaped (RFC 6901).
std::string JsonPointer(std::string_view base, std::string_view token);
std::string JsonPointer(std::string_view base, std::size_t index);

}  // namespace rankd
