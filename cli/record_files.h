// RecordFiles: what is written of requests beside their answers, --trace and --log.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/side_file.h"
#include "cli/trace_jobs.h"
#include "cli/trace_writer.h"
#include "engine/io/executor.h"
#include "engine/io/member_calls.h"
#include "engine/io/uv_loop.h"

namespace rankd {

/// The files of a process, which all its loops write to through RequestRecords. Owned by whoever
/// serves; loop thread only, unless said. A file that fails is noted once and then left: the
/// requests go on.
class RecordFiles {
 public:
  /// Opens the files asked for. Nullptr when one cannot be opened, which `console` has been told.
  /// `loop`, on which they are written, and `console` must outlive it. `loop_count`: loops that
  /// requests run on.
  static std::unique_ptr<RecordFiles> Open(const RecordOptions& options, UvLoop& loop,
                                           std::uint32_t loop_count, Console& console);
  RecordFiles(const RecordFiles&) = delete;
  RecordFiles& operator=(const RecordFiles&) = delete;

  /// From now on `executor`'s threads make the text of large traces; it must end before this does.
  void UseExecutor(Executor& executor);

  /// Nullptr where none is asked for.
  SideFile* trace() { return trace_.get(); }
  SideFile* log() { return log_.get(); }
  TraceContext& trace_context() { return trace_context_; }
  /// For large traces; nullptr where none is asked for, or without an executor.
  TraceJobs* trace_jobs() { return trace_jobs_ ? &*trace_jobs_ : nullptr; }

  /// So much waits for the disk that no more requests should be admitted before `on_progress`. Any
  /// thread.
  bool behind() const;
  void set_on_progress(std::function<void()> on_progress) { on_progress_ = std::move(on_progress); }

  /// What a signal leaves Finish for either of its parts: where nothing took time before, and where
  /// all of it is over.
  static constexpr std::chrono::milliseconds kGrace{475};
  static constexpr std::chrono::milliseconds kLeastGrace{45};

  /// Writes all that is left, turning the loop. With a `limit` no longer than that for large traces
  /// to become text, and for as long again to be written; files that are not done then end after a
  /// whole record. False when something is still being written even so: the
  /// process can only leave at once.
  [[nodiscard]] bool Finish(std::optional<std::chrono::milliseconds> limit);
  /// Gives Finish, which may have begun, this limit from now on, unless it ends before.
  void Hurry(std::chrono::milliseconds limit);
  /// Something could not be written.
  bool failed() const;

 private:
  RecordFiles(UvLoop& loop, Console& console) : loop_(loop), console_(console) {}
  /// Nullptr, and the console told, when it cannot be opened.
  std::unique_ptr<SideFile> OpenFile(const char* flag, SideFile::Options options);
  bool finished() const;
  /// Where no record is to come any more.
  void CloseTrace();
  /// Turns the loop until all is written or the limit is over.
  void TurnUntilLimit();
  void OnLimit();
  void OnProgress() {
    if (on_progress_) on_progress_();
  }

  UvLoop& loop_;
  Console& console_;
  std::function<void()> on_progress_;
  MemberTimer<RecordFiles, &RecordFiles::OnLimit> finish_timer_{*this};
  std::optional<std::chrono::milliseconds> limit_;  ///< Of either part of Finish.
  bool turning_ = false;
  bool expired_ = false;
  TraceContext trace_context_;
  std::unique_ptr<SideFile> trace_;
  std::unique_ptr<SideFile> log_;
  std::optional<TraceJobs> trace_jobs_;
  bool trace_closed_ = false;
};

}  // namespace rankd
