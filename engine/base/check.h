// RANKD_CHECK: for bugs of ours, active in every build. Input can never trip it.
#pragma once

namespace rankd {

/// Prints `file:line: check failed: what` on stderr and aborts. Any thread.
[[noreturn]] void CheckFailed(const char* file, int line, const char* what);

}  // namespace rankd

#define RANKD_CHECK(condition)                              \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::rankd::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
