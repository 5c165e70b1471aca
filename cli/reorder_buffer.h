// Answers in the order of their requests, or as they come. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace rankd {

/// Holds answers until all before them are there. Bounded by the requests in flight.
class ReorderBuffer {
 public:
  /// `ordered` false: nothing is ever held back.
  explicit ReorderBuffer(bool ordered) : ordered_(ordered) {}

  /// The place of the next request's answer.
  std::uint64_t Reserve();

  /// Calls `write(std::string& out)` once to append the answer of `place`: to `out` directly when
  /// its turn has come, then also whatever waited for it; else to memory of its own. Returns how
  /// many answers were appended to `out`.
  template <typename Write>
  std::size_t Put(std::uint64_t place, std::string& out, Write&& write) {
    if (!ordered_) {
      write(out);
      return 1;
    }
    if (place != first_) {
      Slot& slot = slots_[static_cast<std::size_t>(place - first_)];
      write(slot.text);
      slot.there = true;
      return 0;
    }
    write(out);
    return Advance(out);
  }

  /// Appends the answers whose turn has come to `out`; how many. To be called where `out` has been
  /// emptied: an answer for which there was no memory beside the others is still here.
  std::size_t Release(std::string& out);

 private:
  struct Slot {
    std::string text;
    bool there = false;
  };
  /// Drops the first slot and moves those that are there now to `out`; how many, the first
  /// included.
  std::size_t Advance(std::string& out);

  bool ordered_;
  std::uint64_t first_ = 0;  ///< Place of slots_.front().
  std::uint64_t next_ = 0;
  std::deque<Slot> slots_;
};

}  // namespace rankd
