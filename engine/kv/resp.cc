#include "engine/kv/resp.h"

#include <charconv>

#include "engine/base/number_text.h"

namespace rankd {
namespace {

void AppendSize(std::string& out, char type, std::size_t size) {
  char line[24];
  line[0] = type;
  char* end = std::to_chars(line + 1, line + sizeof(line) - 2, size).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(line, end);
}

}  // namespace

void AppendCommandHead(std::string& out, std::size_t arguments) { AppendSize(out, '*', arguments); }

void AppendBulkString(std::string& out, std::string_view bytes) {
  AppendSize(out, '$', bytes.size());
  out += bytes;
  out += "\r\n";
}

std::size_t BulkFrameBytes(std::size_t size) {
  return 1 + IntTextSize(static_cast<std::int64_t>(size)) + 2 + 2;
}

}  // namespace rankd
