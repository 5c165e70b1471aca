// The requests of a bench that its loops share: a loop with a free place takes the next one, so
// that a bench ends everywhere at once, however fast the processors are beside one another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rankd {

/// Numbers of requests of one phase, from 0 on. Any thread.
class BenchSupply {
 public:
  /// For `takers` threads. `in_turn`: one number at a time, as where each is due at a time of its
  /// own; otherwise several, so that a cache line does not go from one processor to another for
  /// each.
  BenchSupply(std::uint64_t count, std::size_t takers, bool in_turn)
      : count_(count), takers_(takers), most_(in_turn ? 1 : kMost) {}

  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool empty() const { return begin == end; }
  };
  /// Those that nobody has taken; empty when there are none. The fewer are left, the fewer at a
  /// time ("guided self-scheduling", Polychronopoulos and Kuck 1987).
  Range Take();

  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::uint64_t kMost = 16;

  const std::uint64_t count_;
  const std::uint64_t takers_;
  const std::uint64_t most_;
  /// On a cache line of its own: the rest is only read.
  alignas(64) std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace rankd
