#include "cli/side_file.h"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace rankd {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{64} << 10;
constexpr std::size_t kBehindBytes = std::size_t{8} << 20;
constexpr std::chrono::seconds kFlushInterval{1};

}  // namespace

Result<std::unique_ptr<SideFile>> SideFile::Open(Options options, Loop& loop) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options.append ? O_APPEND : O_TRUNC);
  const int descriptor = ::open(options.path.c_str(), flags, 0666);
  if (descriptor < 0) {
    return Fail(ErrorCode::kInternal, std::generic_category().message(errno));
  }
  return std::unique_ptr<SideFile>(new SideFile(std::move(options), descriptor, loop));
}

SideFile::SideFile(Options options, int descriptor, Loop& loop)
    : options_(std::move(options)), loop_(loop), descriptor_(descriptor) {
  struct stat status = {};
  if (options_.append && ::fstat(descriptor, &status) == 0) {
    written_ = static_cast<std::uint64_t>(status.st_size);
  }
  OutputListener& listener = *this;
  writer_ = std::make_unique<OutputWriter>(descriptor, loop, listener);
}

SideFile::~SideFile() {
  writer_.reset();
  ::close(descriptor_);
}

void SideFile::Append(std::string_view record) {
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  const bool first = waiting_.empty();
  waiting_ += record;
  ends_.push_back(waiting_.size());
  if (waiting_.size() >= kBehindBytes) behind_.store(true, std::memory_order_relaxed);
  const bool enough = waiting_.size() >= kFlushBytes && !flush_due_;
  flush_due_ = flush_due_ || enough;
  if ((first || enough) && !std::exchange(wake_posted_, true)) loop_.Post(wake_);
}

void SideFile::OnWake() {
  bool flush_due = false;
  {
    const std::lock_guard lock(mutex_);
    wake_posted_ = false;
    flush_due = flush_due_;
  }
  if (flush_due) {
    Flush();
  } else if (!flush_timer_.armed()) {
    loop_.Arm(flush_timer_, loop_.Now() + kFlushInterval);
  }
}

void SideFile::Flush() {
  flush_timer_.Disarm();
  if (writer_->writing()) return;
  {
    const std::lock_guard lock(mutex_);
    flush_due_ = false;
    waiting_.swap(writer_->buffer());
    flushed_ends_.swap(ends_);
    ends_.clear();
  }
  flushed_ = writer_->buffer().size();
  if (flushed_ > 0) {
    writer_->Flush();
  } else {
    finished_ = closing_;
  }
}

void SideFile::Close() {
  RANKD_CHECK(!closing_);
  closing_ = true;
  {
    const std::lock_guard lock(mutex_);
    if (open_) waiting_ += options_.closing;
    open_ = false;
  }
  Flush();
}

void SideFile::OnWritten(int error) {
  behind_.store(false, std::memory_order_relaxed);
  if (error == 0) {
    written_ += flushed_;
  } else {
    failed_ = true;
    {
      const std::lock_guard lock(mutex_);
      open_ = false;
      waiting_.clear();
    }
    // On a full disk the closing finds room in what is cut.
    EndAfterWholeRecord(false);
    if (options_.on_failure) options_.on_failure(std::generic_category().message(error));
  }
  // What came meanwhile has waited long enough.
  Flush();
  if (options_.on_written) options_.on_written();
}

void SideFile::GiveUp() {
  if (finished_ || !SizeOnDisk()) return;
  finished_ = true;
  writer_->StopAtLineEnd();
  writer_->Finish();
  EndAfterWholeRecord(true);
}

std::optional<std::uint64_t> SideFile::SizeOnDisk() const {
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

void SideFile::EndAfterWholeRecord(bool may_grow) {
  const std::optional<std::uint64_t> size = SizeOnDisk();
  // Somebody else appends to it too: what is theirs cannot be told from ours.
  if (!size || *size > written_ + flushed_) return;
  const std::uint64_t last = LastRecordWithin(*size + (may_grow ? options_.closing.size() : 0));
  if (::ftruncate(descriptor_, static_cast<off_t>(last)) != 0) return;
  if (last == 0) return;  // there is nothing to be closed
  if (::lseek(descriptor_, 0, SEEK_END) < 0) return;
  const ssize_t count = ::write(descriptor_, options_.closing.data(), options_.closing.size());
  static_cast<void>(count);
}

/// Where the last record ends after which a file of `size` bytes has room for the closing.
std::uint64_t SideFile::LastRecordWithin(std::uint64_t size) const {
  std::uint64_t last = written_;
  for (const std::uint64_t end : flushed_ends_) {
    if (written_ + end + options_.closing.size() > size) break;
    last = written_ + end;
  }
  return last;
}

}  // namespace rankd
