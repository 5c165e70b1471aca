// SideFile: what is written beside the answers (a trace, a log), on a thread of its own, so that a
// slow disk holds up neither answers nor timers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output_writer.h"
#include "engine/base/result.h"
#include "engine/io/loop.h"

namespace rankd {

/// Records are appended whole and handed over when there is enough of them, or after a second.
/// Loop thread only.
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

  /// Where the next record goes; Commit when it stands there, whole.
  std::string& buffer() { return writer_->buffer(); }
  void Commit();

  /// So much waits to be written that no more should come.
  bool behind() const { return behind_; }

  /// Writes what is left, and the closing. Nothing may be committed any more.
  void Close();
  /// Closed, and everything written or given up.
  bool finished() const { return closing_ && !writer_->writing() && writer_->buffer().empty(); }
  bool failed() const { return failed_; }

 private:
  class FlushTimer final : public Timer {
   public:
    explicit FlushTimer(SideFile& file) : file_(file) {}
    void OnTimer() override { file_.Flush(); }

   private:
    SideFile& file_;
  };

  SideFile(Options options, int descriptor, Loop& loop);
  void Flush();
  void OnWritten(int error) override;
  void TakeBack();
  std::uint64_t LastRecordWithin(std::uint64_t size) const;

  Options options_;
  Loop& loop_;
  const int descriptor_;
  std::unique_ptr<OutputWriter> writer_;
  FlushTimer flush_timer_{*this};
  std::uint64_t written_ = 0;  ///< Size of the file that is known to be whole.
  std::uint64_t flushed_ = 0;  ///< Bytes of the write in progress.
  // Where records end in the buffer, and in the write in progress.
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint64_t> flushed_ends_;
  bool behind_ = false;
  bool closing_ = false;
  bool failed_ = false;
};

}  // namespace rankd
