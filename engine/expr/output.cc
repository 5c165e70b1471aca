#include "engine/expr/output.h"

#include <algorithm>
#include <bit>

#include "engine/expr/ones.h"

namespace rankd {
void ValidityOutput::Add(const Vec& vec, std::size_t begin, std::size_t n) {
  if (vec.valid == nullptr) return;
  if (bitmap_.size() == 0) bitmap_ = Bitmap(rows_, true);
  const std::span<std::uint64_t> words = bitmap_.mutable_words().subspan(begin / 64);
  for (std::size_t i = 0; i < n; i += 64) {
    std::uint64_t word = 0;
    const std::size_t bits = std::min<std::size_t>(64, n - i);
    const std::size_t whole = bits & ~std::size_t{7};
    for (std::size_t bit = 0; bit < whole; bit += 8) word |= BitsOf(vec.valid + i + bit) << bit;
    for (std::size_t bit = whole; bit < bits; ++bit) {
      word |= std::uint64_t{vec.valid[i + bit]} << bit;
    }
    words[i / 64] = word;
  }
}

std::uint32_t InternedOutput::Intern(std::string_view text) {
  const std::uint64_t address = std::bit_cast<std::uintptr_t>(text.data()) + text.size() * 31;
  Recent& recent = recent_[address * 0x9E37'79B9'7F4A'7C15 >> 56];
  const bool same =
      recent.used && recent.text.data() == text.data() && recent.text.size() == text.size();
  if (!same) recent = Recent{text, builder_.Intern(text), true};
  return recent.code;
}

}  // namespace rankd
