#include "engine/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace rankd {
namespace {

unsigned Byte(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// Length of the well-formed sequence that begins at `i` (Unicode, table 3-7), 0 for none.
std::size_t SequenceLength(std::string_view text, std::size_t i) {
  const unsigned lead = Byte(text, i);
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() - i < length) return 0;
  if (Byte(text, i + 1) < low || Byte(text, i + 1) > high) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if ((Byte(text, i + k) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Eight ASCII bytes at a time: most text is.
    std::uint64_t word = 0;
    if (text.size() - i >= sizeof word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & 0x8080808080808080U) == 0) {
        i += sizeof word;
        continue;
      }
    }
    if (Byte(text, i) < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = SequenceLength(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::size_t CodePointCount(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string valid;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = Byte(text, i) < 0x80 ? 1 : SequenceLength(text, i);
    if (length == 0) {
      valid += "\xEF\xBF\xBD";
      ++i;
    } else {
      valid += text.substr(i, length);
      i += length;
    }
  }
  return valid;
}

}  // namespace rankd
