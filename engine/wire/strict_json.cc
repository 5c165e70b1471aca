#include "engine/wire/strict_json.h"

#include "engine/base/json.h"
#include "engine/base/json_syntax.h"
#include "engine/base/number_text.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kFirstCapacity = 4096;
/// simdjson needs 14 bytes or so for each byte of text; what a text over this took is given back.
constexpr std::size_t kKeepBytes = std::size_t{1} << 20;

/// How deep brackets nest in `text`, strings left out. Only a guess where it is not valid JSON.
std::size_t NestingDepth(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest) deepest = depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

const char* Reason(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "invalid UTF-8";
    case simdjson::NUMBER_ERROR:
      return "a number that is malformed or out of range";
    case simdjson::STRING_ERROR:
      return "a string with a bad escape or a lone surrogate";
    case simdjson::UNESCAPED_CHARS:
      return "a control character inside a string";
    case simdjson::UNCLOSED_STRING:
      return "a string without its closing quote";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR:
      return "a word that is not true, false or null";
    case simdjson::DEPTH_ERROR:
      return "brackets nested more than 64 deep";
    case simdjson::EMPTY:
      return "nothing there";
    case simdjson::TAPE_ERROR:
      return "brackets, commas or colons that do not fit, or more than one value";
    default:
      return simdjson::error_message(error);
  }
}

/// Of a text that could not be parsed.
Error AsError(simdjson::error_code error, std::string_view text) {
  if (error == simdjson::CAPACITY) {
    return Error(ErrorCode::kRequestTooLarge, "the request is too large to be parsed");
  }
  if (error == simdjson::MEMALLOC) {
    return Error(ErrorCode::kLimitExceeded, "not enough memory to parse the request");
  }
  const bool deep = error == simdjson::DEPTH_ERROR || error == simdjson::UTF8_ERROR;
  if (const auto found = deep ? std::nullopt : FindJsonSyntaxError(text)) {
    const bool one_line = text.find('\n') >= text.size() - 1;
    return Error(ErrorCode::kInvalidJson, "not valid JSON: " + found->Words(one_line));
  }
  return Error(ErrorCode::kInvalidJson, std::string("not valid JSON: ") + Reason(error));
}

}  // namespace

// Where there is no memory now, the first text tells.
StrictJson::StrictJson() { static_cast<void>(Reset()); }

bool StrictJson::Reset() {
  parser_ = dom::parser();
  // simdjson's limit is that a bracket at this depth is empty. So what passes is right, and only
  // what does not needs a second look.
  return parser_.allocate(kFirstCapacity, kMaxDepth) == simdjson::SUCCESS;
}

Result<dom::element> StrictJson::Parse(std::string_view text) {
  deep_parser_.reset();
  const bool ready = parser_.capacity() > 0 && parser_.max_depth() == kMaxDepth;
  if ((!ready || parser_.capacity() > kKeepBytes) && !Reset()) {
    return std::unexpected(AsError(simdjson::MEMALLOC, text));
  }
  if (text.empty()) return std::unexpected(AsError(simdjson::EMPTY, text));
  // Newer versions of simdjson skip one: a stream's own has been skipped before it was cut.
  if (text.starts_with(kByteOrderMark)) return std::unexpected(AsError(simdjson::TAPE_ERROR, text));
  dom::element root;
  const simdjson::error_code error = parser_.parse(text.data(), text.size()).get(root);
  if (error == simdjson::SUCCESS) return root;
  if (error == simdjson::DEPTH_ERROR) return ParseDeep(text);
  return std::unexpected(AsError(error, text));
}

Result<dom::element> StrictJson::ParseDeep(std::string_view text) {
  if (NestingDepth(text) > kMaxDepth) return std::unexpected(AsError(simdjson::DEPTH_ERROR, text));
  deep_parser_ = std::make_unique<dom::parser>();
  simdjson::error_code error = deep_parser_->allocate(text.size(), kMaxDepth + 1);
  dom::element root;
  if (error == simdjson::SUCCESS) {
    error = deep_parser_->parse(text.data(), text.size()).get(root);
  }
  if (error == simdjson::SUCCESS) return root;
  return std::unexpected(AsError(error, text));
}

std::string Describe(const dom::element& value) {
  constexpr std::size_t kLongest = 40;
  std::string text;
  switch (value.type()) {
    case dom::element_type::NULL_VALUE:
      return "null";
    case dom::element_type::BOOL:
      return bool(value) ? "true" : "false";
    case dom::element_type::INT64:
      AppendInt(text, std::int64_t(value));
      return text;
    case dom::element_type::UINT64:
      return std::to_string(std::uint64_t(value));
    case dom::element_type::DOUBLE:
      AppendFloat(text, double(value));
      return text;
    case dom::element_type::STRING: {
      std::string_view string(value);
      const bool cut = string.size() > kLongest;
      if (cut) {
        string = string.substr(0, kLongest);
        while (!IsValidUtf8(string)) string.remove_suffix(1);
      }
      text = "the string ";
      AppendJsonString(text, string);
      if (cut) text += "…";
      return text;
    }
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
  }
  return text;
}

}  // namespace rankd
