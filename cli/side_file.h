// SideFile: what is written beside the answers (a trace, a log), on a thread of its own, so that a
// slow disk holds up neither answers nor timers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output_writer.h"
#include "engine/base/result.h"
#include "engine/io/loop.h"
#include "engine/io/member_calls.h"

namespace rankd {

/// Records are appended whole, from any loop, and handed over when there is enough of them, or
/// after a second. Loop thread only, but for Append and behind.
class SideFile final : OutputListener {
 public:
  struct Options {
    std::string path;
    bool append = false;  ///< Behind what the file holds; else it is emptied.
    /// What is written last, also where a record failed half way and was taken back.
    std::string closing;
    /// Told once when writing failed, with what the system says; nothing is written after that.
    std::function<void(std::string_view reason)> on_failure;
    /// Told whenever something was written.
    std::function<void()> on_written;
  };

  /// Opens the file; its Error's message is what the system says. `loop` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<SideFile>> Open(Options options, Loop& loop);
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;
  /// Waits for a write in progress.
  ~SideFile();

  /// Adds one record, whole. One that comes after Close, or once writing has failed, is dropped.
  /// Any thread.
  void Append(std::string_view record);

  /// So much waits to be written that no more should come. Any thread.
  bool behind() const { return behind_.load(std::memory_order_relaxed); }

  /// Writes what is left, and the closing.
  void Close();
  /// Closed, but not finished: ends a regular file after the last record that is written whole.
  /// Waits for no more than a single write. The loop must not turn any more.
  void GiveUp();
  /// Closed, and everything written or given up.
  bool finished() const { return finished_; }
  bool failed() const { return failed_; }

 private:
  SideFile(Options options, int descriptor, Loop& loop);
  /// Takes up what Append asks for.
  void OnWake();
  /// Hands over what waits; nothing while a write is in progress.
  void Flush();
  void OnWritten(int error) override;
  /// Cuts off the record of which only a part has been written, so that the file stays readable;
  /// where the file may not grow (a full disk) as many as leave room for the closing.
  void EndAfterWholeRecord(bool may_grow);
  /// Nullopt where it is no regular file.
  std::optional<std::uint64_t> SizeOnDisk() const;
  std::uint64_t LastRecordWithin(std::uint64_t size) const;

  Options options_;
  Loop& loop_;
  const int descriptor_;
  std::unique_ptr<OutputWriter> writer_;
  MemberTimer<SideFile, &SideFile::Flush> flush_timer_{*this};
  std::uint64_t written_ = 0;                ///< Size of the file that is known to be whole.
  std::uint64_t flushed_ = 0;                ///< Bytes of the write in progress.
  std::vector<std::uint64_t> flushed_ends_;  ///< Where records end in the write in progress.
  bool closing_ = false;
  bool finished_ = false;
  bool failed_ = false;
  std::atomic<bool> behind_ = false;

  std::mutex mutex_;
  // All of the following under mutex_.
  std::string waiting_;
  std::vector<std::uint64_t> ends_;  ///< Where records end in it.
  bool open_ = true;                 ///< Records are taken.
  bool flush_due_ = false;           ///< There is enough of them.
  bool wake_posted_ = false;
  MemberTask<SideFile, &SideFile::OnWake> wake_{*this};
};

}  // namespace rankd
