#include "cli/bench/answer_sink.h"

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace rankd {
namespace {

/// What a pipe holds.
constexpr std::size_t kDrainBytes = std::size_t{64} << 10;

void ReadToEnd(int descriptor) {
  std::vector<char> block(kDrainBytes);
  for (;;) {
    const ssize_t bytes = read(descriptor, block.data(), block.size());
    if (bytes == 0 || (bytes < 0 && errno != EINTR)) return;
  }
}

}  // namespace

DrainedPipe::Ends DrainedPipe::Open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {ends[0], ends[1]};
}

DrainedPipe::DrainedPipe(Loop& loop, OutputListener& listener)
    : ends_(Open()),
      writer_(ends_.write, loop, listener),
      reader_([descriptor = ends_.read] { ReadToEnd(descriptor); }) {}

DrainedPipe::~DrainedPipe() {
  writer_.Finish();
  close(ends_.write);
  reader_.join();
  close(ends_.read);
}

}  // namespace rankd
