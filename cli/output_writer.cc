#include "cli/output_writer.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace rankd {
namespace {

/// For a file: more in one call is no faster.
constexpr std::size_t kFileStep = std::size_t{64} << 10;
/// What a pipe takes as a whole or not at all.
constexpr std::size_t kReaderStep = PIPE_BUF;

/// So much is written at once. It is copied to a pipe faster than the thread is woken to do it,
/// which answers then wait for: with 64 requests in flight a sixth more of them are answered. Of a
/// file, which costs more, the thread takes what is more than a few lines off the loop.
constexpr std::size_t kAtOnce = std::size_t{64} << 10;  // what a pipe holds
constexpr std::size_t kFileAtOnce = 4096;

/// A buffer that has grown beyond this is given back once it is empty.
constexpr std::size_t kKeptCapacity = std::size_t{8} << 20;

/// 0 for what cannot be looked at.
mode_t ModeOf(int descriptor) {
  struct stat file = {};
  return fstat(descriptor, &file) == 0 ? file.st_mode : 0;
}

unsigned long UnreadRequest(int descriptor, mode_t mode) {
  if (S_ISFIFO(mode)) return FIONREAD;  // answers at either end
  return S_ISSOCK(mode) || isatty(descriptor) ? TIOCOUTQ : 0;
}

}  // namespace

OutputWriter::OutputWriter(int descriptor, Loop& loop, OutputListener& listener)
    : OutputWriter(descriptor, ModeOf(descriptor), loop, listener) {}

OutputWriter::OutputWriter(int descriptor, mode_t mode, Loop& loop, OutputListener& listener)
    : descriptor_(descriptor),
      unread_request_(UnreadRequest(descriptor, mode)),
      at_once_(S_ISREG(mode) ? kFileAtOnce : kAtOnce),
      loop_(loop),
      listener_(listener) {}

OutputWriter::~OutputWriter() { Finish(); }

void OutputWriter::Finish() {
  if (!thread_.joinable()) return;
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
  if (filling_.capacity() > kKeptCapacity) std::string().swap(filling_);
  begun_ = 0;
  if (WriteAtOnce()) {
    error_ = 0;
    return loop_.Post(*this);
  }
  if (!thread_.joinable() && !StartThread()) {
    // Late is better than lost.
    error_ = WriteRest();
    return loop_.Post(*this);
  }
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  changed_.notify_one();
}

bool OutputWriter::WriteAtOnce() {
  if (writing_.size() > at_once_) return false;
  while (begun_ < writing_.size()) {
    const iovec bytes = {writing_.data() + begun_, NextStep(writing_, begun_)};
    // Pipes from Linux 6.4 on, and devices. Errors are left to the thread: for terminals, sockets,
    // most files and older kernels it is "not supported".
    const ssize_t count = pwritev2(descriptor_, &bytes, 1, -1, RWF_NOWAIT);
    if (count <= 0) return false;
    begun_ += static_cast<std::size_t>(count);
    written_ += static_cast<std::uint64_t>(count);
    if (static_cast<std::size_t>(count) < bytes.iov_len) return false;
  }
  return true;
}

bool OutputWriter::StartThread() {
  try {
    thread_ = std::thread([this] { WriteBuffers(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void OutputWriter::WriteBuffers() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return wanted_ || stopping_; });
      if (!wanted_) return;
      wanted_ = false;
    }
    error_ = WriteRest();
    loop_.Post(*this);
  }
}

int OutputWriter::WriteRest() {
  const std::string& bytes = writing_;
  std::size_t written = begun_;
  while (written < bytes.size()) {
    if (stop_at_line_end_.load() && (written == 0 || bytes[written - 1] == '\n')) return 0;
    const ssize_t count = write(descriptor_, bytes.data() + written, NextStep(bytes, written));
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
      written_ += static_cast<std::uint64_t>(count);
    } else if (errno == EAGAIN) {
      pollfd wait = {descriptor_, POLLOUT, 0};  // the shell made it non-blocking
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      const int error = errno;
      TakeBackPartialLine(bytes, written);
      return error;
    }
  }
  return 0;
}

std::uint64_t OutputWriter::taken() const {
  const std::uint64_t written = written_.load();
  int unread = 0;
  if (unread_request_ == 0 || ioctl(descriptor_, unread_request_, &unread) != 0) return written;
  // What was there before us, or another wrote, may make it more than ours.
  return written - std::min(written, static_cast<std::uint64_t>(unread));
}

std::size_t OutputWriter::NextStep(const std::string& bytes, std::size_t from) const {
  const char* begin = bytes.data() + from;
  const std::size_t step =
      std::min(bytes.size() - from, unread_request_ == 0 ? kFileStep : kReaderStep);
  // Whole lines, so that none is left unfinished however the process ends.
  const void* line_end =
      stop_at_line_end_.load() ? std::memchr(begin, '\n', step) : memrchr(begin, '\n', step);
  if (line_end == nullptr) return step;
  return static_cast<std::size_t>(static_cast<const char*>(line_end) - begin) + 1;
}

void OutputWriter::TakeBackPartialLine(const std::string& bytes, std::size_t written) const {
  if (written == 0) return;
  const std::size_t line_end = bytes.rfind('\n', written - 1);
  const std::size_t partial = line_end == std::string::npos ? written : written - line_end - 1;
  struct stat file = {};
  if (partial == 0 || fstat(descriptor_, &file) != 0 || !S_ISREG(file.st_mode)) return;
  // Only where it is what the file ends with: somebody else may be writing to it too.
  if (lseek(descriptor_, 0, SEEK_CUR) != file.st_size) return;
  const off_t whole = file.st_size - static_cast<off_t>(partial);
  if (ftruncate(descriptor_, whole) == 0) lseek(descriptor_, whole, SEEK_SET);
}

void OutputWriter::OnLoop() {
  busy_ = false;
  listener_.OnWritten(error_);
}

}  // namespace rankd
