// Bytes that live as long as their owner, at addresses that do not change. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace rankd {

/// A bump allocator in chunks that double. Movable; addresses survive moves.
class ByteArena {
 public:
  ByteArena() = default;
  ByteArena(ByteArena&& other) noexcept
      : chunks_(std::move(other.chunks_)),
        chunk_(std::exchange(other.chunk_, nullptr)),
        used_(std::exchange(other.used_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  ByteArena& operator=(ByteArena&& other) noexcept {
    chunks_ = std::move(other.chunks_);
    other.chunks_.clear();
    chunk_ = std::exchange(other.chunk_, nullptr);
    used_ = std::exchange(other.used_, 0);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  /// A copy of `bytes`.
  std::string_view Store(std::string_view bytes);

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* chunk_ = nullptr;  ///< The one being filled.
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

}  // namespace rankd
