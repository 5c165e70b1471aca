// Small numbers for threads, so that what is shared can keep something for each of them.
#pragma once

#include <atomic>
#include <cstdint>

namespace rankd {

/// Slots there are: of the first threads that claim one.
inline constexpr std::uint32_t kThreadSlots = 8;
/// No slot: of threads that have claimed none, or came too late.
inline constexpr std::uint32_t kNoThreadSlot = kThreadSlots;

namespace thread_slot_internal {
inline std::atomic<std::uint32_t> claimed{0};
inline thread_local constinit std::uint32_t own = kNoThreadSlot;
inline thread_local constinit bool asked = false;
}  // namespace thread_slot_internal

/// The calling thread's, from 0.
inline std::uint32_t ThreadSlot() { return thread_slot_internal::own; }

/// Gives the calling thread a slot, if there is one left. It keeps it, and nobody gets it after it.
inline void ClaimThreadSlot() {
  if (thread_slot_internal::asked) [[likely]]
    return;
  thread_slot_internal::asked = true;
  std::uint32_t next = thread_slot_internal::claimed.load(std::memory_order_relaxed);
  while (next < kThreadSlots && !thread_slot_internal::claimed.compare_exchange_weak(
                                    next, next + 1, std::memory_order_relaxed)) {
  }
  thread_slot_internal::own = next;
}

}  // namespace rankd
