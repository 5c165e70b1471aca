// RequestRecords: what is written of requests beside their answers, --trace and --log.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/request_log.h"
#include "cli/trace_file.h"
#include "engine/base/error.h"
#include "engine/data/rowset.h"
#include "engine/io/uv_loop.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"

namespace rankd {

/// Owned by whoever serves; loop thread only. A file that fails is noted once and then left: the
/// requests go on.
class RequestRecords {
 public:
  /// Opens the files asked for. Nullptr when one cannot be opened, which `console` has been told.
  /// `loop` and `console` must outlive it.
  static std::unique_ptr<RequestRecords> Open(const RecordOptions& options, UvLoop& loop,
                                              Console& console);
  RequestRecords(const RequestRecords&) = delete;
  RequestRecords& operator=(const RequestRecords&) = delete;

  /// Has the run record what is needed.
  void Require(RunSpec& spec) const;
  /// A request that was answered without a run.
  void OnRefused(std::string_view request_id, const Error& error);
  /// From within RunListener::OnAnswer.
  void OnAnswer(const Run& run, const Request& request,
                const Result<std::span<const RowSet>>& outputs);
  /// When the run is idle, or never will be.
  void OnEnd(const Run& run, const Request& request, std::optional<ErrorCode> failure);

  /// So much waits for the disk that no more requests should be admitted before `on_progress`.
  bool behind() const;
  void set_on_progress(std::function<void()> on_progress) { on_progress_ = std::move(on_progress); }

  /// Writes all that is left, turning the loop, for no longer than `limit`. False when something is
  /// still being written then: the process can only leave at once.
  [[nodiscard]] bool Finish(std::optional<std::chrono::milliseconds> limit);
  /// Gives Finish up.
  void Interrupt();
  /// Something could not be written.
  bool failed() const;

 private:
  RequestRecords(UvLoop& loop, Console& console) : loop_(loop), console_(console) {}
  /// Nullptr, and the console told, when it cannot be opened.
  std::unique_ptr<SideFile> OpenFile(const char* flag, SideFile::Options options);
  bool finished() const;

  UvLoop& loop_;
  Console& console_;
  std::function<void()> on_progress_;
  std::unique_ptr<TraceFile> trace_file_;
  std::unique_ptr<RequestLog> log_;
};

}  // namespace rankd
