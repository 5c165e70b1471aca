#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/exit_status.h"

namespace {

/// Has the heap map at once what a start is going to need. Otherwise there is a mapping for each
/// size of block, a hundred in all, which a short run notices.
void ReserveHeapForStart() {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  ::operator delete(::operator new(kBytes, std::nothrow));
}

}  // namespace

int main(int argc, char** argv) {
  ReserveHeapForStart();
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return rankd::RunApp(arguments);
  } catch (const std::bad_alloc&) {
    // Before or behind the requests; among them it is theirs.
    std::fputs("rankd: out of memory\n", stderr);
    std::_Exit(rankd::kExitIo);
  }
}
