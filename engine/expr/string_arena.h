// Memory for strings that expressions make: stable until Reset, kept for reuse after it.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace rankd {

class StringArena {
 public:
  /// `size` bytes to write.
  char* Allocate(std::size_t size) {
    while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < size) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) {
      const std::size_t bytes = size > kChunkBytes ? size : kChunkBytes;
      chunks_.push_back(Chunk{std::make_unique_for_overwrite<char[]>(bytes), bytes});
      used_ = 0;
    }
    char* out = chunks_[chunk_].bytes.get() + used_;
    used_ += size;
    return out;
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* out = Allocate(text.size());
    std::memcpy(out, text.data(), text.size());
    return {out, text.size()};
  }

  /// Strings handed out before are gone.
  void Reset() {
    chunk_ = 0;
    used_ = 0;
  }

 private:
  static constexpr std::size_t kChunkBytes = 16 * 1024;
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;  // the one being filled
  std::size_t used_ = 0;
};

}  // namespace rankd
