#include "engine/io/short_slice.h"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rankd {
namespace {

/// As sched_setattr(2) has it; the C library does not everywhere.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  ///< Nanoseconds; of SCHED_OTHER the slice.
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

constexpr std::uint64_t kResetOnFork = 1;
/// The least that the system takes. A thread that wakes up is let in before one with longer slices,
/// where both have a claim; of equals the one that runs goes on until its slice is over, 3 ms and
/// more.
constexpr std::uint64_t kSliceNanoseconds = 100'000;

}  // namespace

void AskForShortSlices() {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.flags |= kResetOnFork;
  attributes.runtime = kSliceNanoseconds;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace rankd
