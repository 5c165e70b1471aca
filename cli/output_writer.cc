#include "cli/output_writer.h"

#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace rankd {

OutputWriter::OutputWriter(int descriptor, Loop& loop, OutputListener& listener)
    : descriptor_(descriptor),
      loop_(loop),
      listener_(listener),
      thread_([this] { WriteBuffers(); }) {}

OutputWriter::~OutputWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void OutputWriter::Flush() {
  RANKD_CHECK(!busy_);
  busy_ = true;
  writing_.swap(filling_);
  filling_.clear();
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  changed_.notify_one();
}

void OutputWriter::WriteBuffers() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return wanted_ || stopping_; });
      if (!wanted_) return;
      wanted_ = false;
    }
    error_ = WriteAll(writing_);
    loop_.Post(*this);
  }
}

int OutputWriter::WriteAll(const std::string& bytes) const {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      pollfd wait = {descriptor_, POLLOUT, 0};  // the shell made it non-blocking
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void OutputWriter::OnLoop() {
  busy_ = false;
  listener_.OnWritten(error_);
}

}  // namespace rankd
