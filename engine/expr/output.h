// Columns built a block at a time from what a program computes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/column.h"
#include "engine/expr/vec.h"

namespace rankd {

/// Validity collected block by block; blocks begin at multiples of 64.
class ValidityOutput {
 public:
  explicit ValidityOutput(std::size_t rows) : rows_(rows) {}
  void Add(const Vec& vec, std::size_t begin, std::size_t n);
  Bitmap Finish() && { return std::move(bitmap_); }

 private:
  std::size_t rows_;
  Bitmap bitmap_;  // empty while there are no nulls
};

/// Interns views. What was met before at the same address is not hashed again, which suits views
/// of dictionaries; memory that is written anew between blocks must be announced by Forget.
class InternedOutput {
 public:
  std::uint32_t Intern(std::string_view text);
  void Forget() { recent_ = {}; }
  DictionaryRef Finish() && { return std::move(builder_).Finish(); }

 private:
  struct Recent {
    std::string_view text;
    std::uint32_t code = 0;
    bool used = false;
  };
  DictionaryBuilder builder_;
  std::array<Recent, 256> recent_{};
};

}  // namespace rankd
