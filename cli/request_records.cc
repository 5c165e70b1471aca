#include "cli/request_records.h"

#include "cli/log_line.h"

namespace rankd {

RequestRecords::RequestRecords(RecordFiles& files, const Clock& clock, std::uint32_t loop)
    : files_(files),
      trace_(files.trace()),
      log_(files.log()),
      clock_(clock),
      loop_(loop),
      trace_writer_(files.trace_context(), loop) {}

void RequestRecords::Require(RunSpec& spec) const {
  if (trace_ != nullptr) spec.trace = true;
  if (log_ != nullptr) spec.count_kv = true;
}

void RequestRecords::OnRefused(std::string_view request_id, const Error& error) {
  if (log_ == nullptr) return;
  LogEntry entry;
  entry.request_id = request_id;
  entry.failure = error.code;
  scratch_.clear();
  AppendLogLine(scratch_, entry);
  log_->Append(scratch_);
}

void RequestRecords::OnAnswer(const Run& run, const Request& request,
                              const Result<std::span<const RowSet>>& outputs) {
  if (log_ == nullptr) return;
  LogEntry entry;
  entry.request_id = request.id_json;
  entry.plan = request.plan->name;
  entry.latency = clock_.Now() - run.start_time();
  entry.kv = run.kv_usage();
  if (outputs) {
    for (const RowSet& rows : *outputs) entry.rows += rows.rows();
  } else {
    entry.failure = outputs.error().code;
  }
  scratch_.clear();
  AppendLogLine(scratch_, entry);
  log_->Append(scratch_);
}

void RequestRecords::OnEnd(Run& run, const Request& request, std::optional<ErrorCode> failure) {
  if (trace_ == nullptr) return;
  TraceJobs* const jobs = files_.trace_jobs();
  if (jobs != nullptr && run.trace().nodes.size() >= TraceJobs::kManyNodes) {
    jobs->Submit(run.TakeTrace(), request.id_json, failure, loop_);
  } else {
    OnAbandoned(run, request, failure);
  }
}

void RequestRecords::OnAbandoned(const Run& run, const Request& request,
                                 std::optional<ErrorCode> failure) {
  if (trace_ == nullptr) return;
  scratch_.clear();
  trace_writer_.Append(scratch_, run.trace(), request.id_json, failure);
  trace_->Append(scratch_);
}

}  // namespace rankd
