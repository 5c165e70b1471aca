#include "engine/base/json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "engine/base/json_syntax.h"
#include "engine/base/number_text.h"
#include "engine/base/utf8.h"

namespace rankd {

/// Blocks of a bump allocator. Json and JsonField are trivially destructible.
struct JsonDocument::Storage {
  static constexpr std::size_t kFirstBlock = std::size_t{2} << 10;
  static constexpr std::size_t kLargestBlock = std::size_t{64} << 10;

  void* Allocate(std::size_t bytes) {
    bytes = (bytes + 15) & ~std::size_t{15};
    if (bytes > left) {
      const std::size_t size = std::max(bytes, next_block);
      next_block = std::min(4 * next_block, kLargestBlock);
      blocks.push_back(std::make_unique_for_overwrite<char[]>(size));
      next = blocks.back().get();
      left = size;
    }
    char* memory = next;
    next += bytes;
    left -= bytes;
    return memory;
  }

  std::vector<std::unique_ptr<char[]>> blocks;
  char* next = nullptr;
  std::size_t left = 0;
  std::size_t next_block = kFirstBlock;   ///< Bytes. Most documents are small, and a few large.
  std::unique_ptr<std::uint8_t[]> texts;  ///< The DOM's strings; ours are views of it.
  Json root;
};

JsonDocument::JsonDocument(std::unique_ptr<Storage> storage)
    : storage_(std::move(storage)), root_(&storage_->root) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

namespace {

/// Nesting that files may have; the copy below recurses this deep at most.
constexpr std::size_t kMaxFileDepth = 1000;
constexpr std::size_t kUsualFileDepth = 64;
/// All those below leave the same blocks to the heap, for the next one.
constexpr std::size_t kUsualFileBytes = 4096;

namespace dom = simdjson::dom;

}  // namespace

/// Copies a simdjson DOM into our tree, so that no type of simdjson's leaves this file. Strings
/// stay where the DOM has them.
class JsonBuilder {
 public:
  explicit JsonBuilder(JsonDocument::Storage& storage) : storage_(storage) {}

  Json Copy(const dom::element& element) {
    Json json;
    switch (element.type()) {
      case dom::element_type::NULL_VALUE:
        break;
      case dom::element_type::BOOL:
        json.kind_ = Json::Kind::kBool;
        json.bool_ = bool(element);
        break;
      case dom::element_type::INT64:
        json.kind_ = Json::Kind::kInt;
        json.int_ = std::int64_t(element);
        break;
      case dom::element_type::UINT64:
        json.kind_ = Json::Kind::kUint;
        json.bits_ = std::uint64_t(element);
        break;
      case dom::element_type::DOUBLE:
        json.kind_ = Json::Kind::kFloat;
        json.float_ = double(element);
        break;
      case dom::element_type::STRING: {
        const std::string_view text(element);
        json.kind_ = Json::Kind::kString;
        json.size_ = static_cast<std::uint32_t>(text.size());
        json.string_ = text.data();
        break;
      }
      case dom::element_type::ARRAY:
        CopyArray(dom::array(element), json);
        break;
      case dom::element_type::OBJECT:
        CopyObject(dom::object(element), json);
        break;
    }
    return json;
  }

  static JsonDocument Document(std::unique_ptr<JsonDocument::Storage> storage) {
    return JsonDocument(std::move(storage));
  }
  static std::unique_ptr<JsonDocument::Storage> NewStorage() {
    return std::make_unique<JsonDocument::Storage>();
  }
  static void SetRoot(JsonDocument::Storage& storage, Json root) { storage.root = root; }

 private:
  /// How many there are in an array or object. The DOM's own count saturates.
  template <typename Container>
  static std::size_t CountOf(const Container& container) {
    constexpr std::size_t kSaturated = 0xFFFFFF;
    if (const std::size_t count = container.size(); count < kSaturated) return count;
    std::size_t count = 0;
    for ([[maybe_unused]] const auto part : container) ++count;
    return count;
  }

  void CopyArray(const dom::array& array, Json& json) {
    json.kind_ = Json::Kind::kArray;
    const std::size_t count = CountOf(array);
    Json* items = static_cast<Json*>(storage_.Allocate(count * sizeof(Json)));
    std::size_t i = 0;
    for (const dom::element item : array) new (items + i++) Json(Copy(item));
    json.size_ = static_cast<std::uint32_t>(count);
    json.items_ = items;
  }

  void CopyObject(const dom::object& object, Json& json) {
    json.kind_ = Json::Kind::kObject;
    const std::size_t count = CountOf(object);
    JsonField* fields = static_cast<JsonField*>(storage_.Allocate(count * sizeof(JsonField)));
    std::size_t i = 0;
    for (const dom::key_value_pair field : object) {
      new (fields + i++) JsonField{field.key, Copy(field.value)};
    }
    json.size_ = static_cast<std::uint32_t>(count);
    json.fields_ = fields;
  }

  JsonDocument::Storage& storage_;
};

std::optional<bool> Json::AsBool() const {
  return kind_ == Kind::kBool ? std::optional(bool_) : std::nullopt;
}

std::optional<std::int64_t> Json::AsInt() const {
  return kind_ == Kind::kInt ? std::optional(int_) : std::nullopt;
}

std::optional<double> Json::AsNumber() const {
  switch (kind_) {
    case Kind::kInt:
      return static_cast<double>(int_);
    case Kind::kUint:
      return static_cast<double>(bits_);
    case Kind::kFloat:
      return float_;
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> Json::AsString() const {
  return kind_ == Kind::kString ? std::optional(std::string_view(string_, size_)) : std::nullopt;
}

std::span<const Json> Json::items() const {
  return kind_ == Kind::kArray ? std::span(items_, size_) : std::span<const Json>();
}

std::span<const JsonField> Json::fields() const {
  return kind_ == Kind::kObject ? std::span(fields_, size_) : std::span<const JsonField>();
}

const Json* Json::Find(std::string_view name) const {
  for (const JsonField& field : fields()) {
    if (field.name == name) return &field.value;
  }
  return nullptr;
}

std::string Json::Describe() const {
  constexpr std::size_t kLongest = 40;
  std::string text;
  switch (kind_) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return bool_ ? "true" : "false";
    case Kind::kInt:
      AppendInt(text, int_);
      return text;
    case Kind::kUint:
      return std::to_string(bits_);
    case Kind::kFloat:
      AppendFloat(text, float_);
      return text;
    case Kind::kString: {
      std::string_view value(string_, size_);
      const bool cut = value.size() > kLongest;
      if (cut) {
        value = value.substr(0, kLongest);
        while (!IsValidUtf8(value)) value.remove_suffix(1);
      }
      text = "the string ";
      AppendJsonString(text, value);
      if (cut) text += "…";
      return text;
    }
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return text;
}

Result<JsonDocument> ParseJson(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto no_memory = [] {
    return Fail(ErrorCode::kLimitExceeded, "not enough memory to read the file");
  };
  const simdjson::padded_string padded(text);
  if (padded.size() != text.size()) return no_memory();  // it is empty then
  dom::parser parser;
  dom::document parsed;
  dom::element root;
  simdjson::error_code error = simdjson::DEPTH_ERROR;
  // Files are small and flat, and parsers take memory for what they may meet.
  for (const std::size_t depth : {kUsualFileDepth, kMaxFileDepth}) {
    if (error != simdjson::DEPTH_ERROR) break;
    error = parser.allocate(std::max(text.size() + 1, kUsualFileBytes), depth);
    if (error == simdjson::SUCCESS) error = parser.parse_into_document(parsed, padded).get(root);
  }
  if (error != simdjson::SUCCESS) {
    if (error == simdjson::MEMALLOC || error == simdjson::CAPACITY) return no_memory();
    const bool deep = error == simdjson::DEPTH_ERROR || error == simdjson::UTF8_ERROR;
    const auto found = deep ? std::nullopt : FindJsonSyntaxError(text);
    return Fail(
        ErrorCode::kInvalidJson,
        "not valid JSON: " + (found ? found->Words(false) : simdjson::error_message(error)));
  }
  auto storage = JsonBuilder::NewStorage();
  JsonBuilder builder(*storage);
  JsonBuilder::SetRoot(*storage, builder.Copy(root));
  storage->texts = std::move(parsed.string_buf);
  return JsonBuilder::Document(std::move(storage));
}

void AppendJsonString(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    out.push_back('\\');
    switch (c) {
      case '"':
      case '\\':
        out.push_back(static_cast<char>(c));
        break;
      case '\n':
        out.push_back('n');
        break;
      case '\r':
        out.push_back('r');
        break;
      case '\t':
        out.push_back('t');
        break;
      case '\b':
        out.push_back('b');
        break;
      case '\f':
        out.push_back('f');
        break;
      default:
        out.append("u00");
        out.push_back(kHex[c >> 4]);
        out.push_back(kHex[c & 15]);
    }
  }
  out.append(text, plain, text.size() - plain);
  out.push_back('"');
}

std::string JsonPointer(std::string_view base, std::string_view token) {
  std::string pointer(base);
  pointer.push_back('/');
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer.push_back(c);
    }
  }
  return pointer;
}

std::string JsonPointer(std::string_view base, std::size_t index) {
  return std::string(base) + "/" + std::to_string(index);
}

}  // namespace rankd
