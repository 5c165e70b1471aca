#include "cli/standard_descriptors.h"

#include <cerrno>
#include <system_error>
#include <vector>

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

void RequireDescriptors(int count) {
  std::vector<int> opened;
  int error = 0;
  while (error == 0 && static_cast<int>(opened.size()) < count) {
    const int descriptor = opened.empty() ? open("/dev/null", O_RDONLY | O_CLOEXEC)
                                          : fcntl(opened.front(), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) {
      error = errno;
    } else {
      opened.push_back(descriptor);
    }
  }
  for (const int descriptor : opened) close(descriptor);
  if (error != 0) throw std::system_error(error, std::generic_category(), "descriptors");
}

}  // namespace rankd
