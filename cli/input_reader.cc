#include "cli/input_reader.h"

#include <cerrno>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace rankd {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

}  // namespace

InputReader::InputReader(int descriptor, Loop& loop, InputListener& listener)
    : descriptor_(descriptor),
      loop_(loop),
      listener_(listener),
      block_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {}

InputReader::~InputReader() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_one();
    }
    eventfd_write(wake_descriptor_, 1);
    thread_.join();
  }
  if (wake_descriptor_ >= 0) close(wake_descriptor_);
}

void InputReader::RequestBlock() {
  RANKD_CHECK(!reading_ && !ended_);
  reading_ = true;
  if (ReadAtOnce()) return loop_.Post(*this);
  if (!thread_.joinable()) {
    if (const int error = StartThread(); error != 0) {
      Take(0, error);
      return loop_.Post(*this);
    }
  }
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  changed_.notify_one();
}

bool InputReader::ReadAtOnce() {
  const iovec room = {block_.get(), kReadBytes};
  // Files from the page cache, and pipes from Linux 6.4 on. Most errors are left to the thread: for
  // terminals, sockets and older kernels it is "not supported".
  const ssize_t bytes = preadv2(descriptor_, &room, 1, -1, RWF_NOWAIT);
  if (bytes >= 0) {
    Take(static_cast<std::size_t>(bytes), 0);
    return true;
  }
  // What cannot be read may not be readable ever: a poll for it would wait for good.
  const bool never = errno == EBADF || errno == ENOTCONN;
  if (never) Take(0, errno);
  return never;
}

int InputReader::StartThread() {
  if (wake_descriptor_ < 0) wake_descriptor_ = eventfd(0, EFD_CLOEXEC);
  if (wake_descriptor_ < 0) return errno;
  try {
    thread_ = std::thread([this] { ReadBlocks(); });
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

void InputReader::Take(std::size_t bytes, int error) {
  block_bytes_ = bytes;
  error_ = error;
  ended_ = bytes == 0;
}

void InputReader::ReadBlocks() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return wanted_ || stopping_; });
      if (stopping_) return;
      wanted_ = false;
    }
    if (!ReadOne()) return;
    loop_.Post(*this);
  }
}

bool InputReader::ReadOne() {
  for (;;) {
    // Waiting is poll's part, so that the wait can be ended; it also covers a descriptor that the
    // shell made non-blocking.
    pollfd waits[2] = {{descriptor_, POLLIN, 0}, {wake_descriptor_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) {
      Take(0, errno);
      return true;
    }
    if (waits[1].revents != 0) return false;
    if (waits[0].revents == 0) continue;
    const ssize_t bytes = read(descriptor_, block_.get(), kReadBytes);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (bytes < 0) {
      Take(0, errno);
    } else {
      Take(static_cast<std::size_t>(bytes), 0);
    }
    return true;
  }
}

void InputReader::OnLoop() {
  reading_ = false;
  if (ended_) {
    listener_.OnInputEnd(error_);
  } else {
    listener_.OnInput({block_.get(), block_bytes_});
  }
}

}  // namespace rankd
