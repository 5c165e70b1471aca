// RequestRecords: what one loop writes of its requests beside their answers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/record_files.h"
#include "cli/trace_writer.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/data/rowset.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"

namespace rankd {

/// One for each loop; on its thread only.
class RequestRecords {
 public:
  /// `clock`: the loop's. `loop`: its number. `files` and `clock` must outlive it.
  RequestRecords(RecordFiles& files, const Clock& clock, std::uint32_t loop);

  /// Has the run record what is needed.
  void Require(RunSpec& spec) const;
  /// No more requests should be admitted before the files have made progress.
  bool behind() const { return files_.behind(); }
  /// A request that was answered without a run.
  void OnRefused(std::string_view request_id, const Error& error);
  /// From within RunListener::OnAnswer.
  void OnAnswer(const Run& run, const Request& request,
                const Result<std::span<const RowSet>>& outputs);
  /// When the run is idle; takes its trace.
  void OnEnd(Run& run, const Request& request, std::optional<ErrorCode> failure);
  /// When it never will be.
  void OnAbandoned(const Run& run, const Request& request, std::optional<ErrorCode> failure);

 private:
  RecordFiles& files_;
  SideFile* const trace_;  ///< Nullptr: none is wanted.
  SideFile* const log_;
  const Clock& clock_;
  const std::uint32_t loop_;
  TraceWriter trace_writer_;
  std::string scratch_;
};

}  // namespace rankd
