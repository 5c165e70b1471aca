#include "cli/bench/answer_sink.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace rankd {
namespace {

int OpenNull() {
  const int descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "/dev/null");
  return descriptor;
}

}  // namespace

NullSink::NullSink(Loop& loop, OutputListener& listener)
    : descriptor_(OpenNull()), writer_(descriptor_, loop, listener) {}

NullSink::~NullSink() {
  writer_.Finish();
  close(descriptor_);
}

}  // namespace rankd
