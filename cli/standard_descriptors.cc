#include "cli/standard_descriptors.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace rankd {

void ReserveStandardDescriptors() {
  // In ascending order: open takes the lowest free number, which is the one found closed. Opened
  // for the wrong direction, so that its use fails (as gnulib's stdopen does).
  const int wrong_mode[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      // Without /dev/null the gap stays; there is nobody to tell.
      static_cast<void>(open("/dev/null", wrong_mode[descriptor]));
    }
  }
}

}  // namespace rankd
