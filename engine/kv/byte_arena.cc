#include "engine/kv/byte_arena.h"

#include <algorithm>
#include <cstring>

namespace rankd {
namespace {

constexpr std::size_t kFirstChunk = 1024;
constexpr std::size_t kLargestChunk = std::size_t{256} * 1024;

}  // namespace

std::string_view ByteArena::Store(std::string_view bytes) {
  if (bytes.empty()) return "";
  if (bytes.size() > size_ - used_) {
    if (bytes.size() > kLargestChunk / 4) {
      // A chunk of its own; the one being filled goes on being filled.
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(bytes.size()));
      std::memcpy(chunks_.back().get(), bytes.data(), bytes.size());
      return {chunks_.back().get(), bytes.size()};
    }
    size_ = std::clamp(size_ * 2, kFirstChunk, kLargestChunk);
    while (size_ < bytes.size()) size_ *= 2;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size_));
    chunk_ = chunks_.back().get();
    used_ = 0;
  }
  char* copy = chunk_ + used_;
  std::memcpy(copy, bytes.data(), bytes.size());
  used_ += bytes.size();
  return {copy, bytes.size()};
}

}  // namespace rankd
