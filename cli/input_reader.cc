#include "cli/input_reader.h"

#include <cerrno>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace rankd {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

int WakeDescriptor() {
  const int descriptor = eventfd(0, EFD_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return descriptor;
}

}  // namespace

InputReader::InputReader(int descriptor, Loop& loop, InputListener& listener)
    : descriptor_(descriptor),
      loop_(loop),
      listener_(listener),
      wake_descriptor_(WakeDescriptor()),
      block_(std::make_unique_for_overwrite<char[]>(kReadBytes)),
      thread_([this] { ReadBlocks(); }) {}

InputReader::~InputReader() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  eventfd_write(wake_descriptor_, 1);
  thread_.join();
  close(wake_descriptor_);
}

void InputReader::RequestBlock() {
  RANKD_CHECK(!reading_ && !ended_);
  reading_ = true;
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  changed_.notify_one();
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
      error_ = errno;
      ended_ = true;
      return true;
    }
    if (waits[1].revents != 0) return false;
    if (waits[0].revents == 0) continue;
    const ssize_t bytes = read(descriptor_, block_.get(), kReadBytes);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    block_bytes_ = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
    ended_ = bytes <= 0;
    error_ = bytes < 0 ? errno : 0;
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
