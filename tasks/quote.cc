#include "tasks/quote.h"

#include <variant>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

constexpr std::size_t kLongest = 120;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

void AppendEscaped(std::string& out, char c, bool utf8) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8)) {
    out += "\\x";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  } else {
    out += c;
  }
}

}  // namespace

std::string Quote(std::string_view bytes) {
  const bool cut = bytes.size() > kLongest;
  if (cut) {
    std::size_t end = kLongest;
    while (end > kLongest - 4 && IsContinuation(bytes[end])) --end;  // not within a character
    bytes = bytes.substr(0, end);
  }
  const bool utf8 = IsValidUtf8(bytes);
  std::string out = "\"";
  for (const char c : bytes) AppendEscaped(out, c, utf8);
  out += cut ? "…\"" : "\"";
  return out;
}

std::string DescribeValue(const Column& column, std::size_t row) {
  if (column.IsNullAt(row)) return "null";
  std::string out;
  switch (column.type()) {
    case ValueType::kInt:
      AppendInt(out, column.ints()[row]);
      break;
    case ValueType::kFloat:
      AppendFloat(out, column.floats()[row]);
      break;
    case ValueType::kBool:
      out = column.bools()[row] != 0 ? "true" : "false";
      break;
    case ValueType::kString:
      out = Quote(column.dictionary()->At(column.codes()[row]));
      break;
  }
  return out;
}

}  // namespace rankd
