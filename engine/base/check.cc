#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace rankd {

void CheckFailed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "rankd: %s:%d: check failed: %s\n", file, line, what);
  std::abort();
}

}  // namespace rankd
