#include "cli/request_records.h"

#include <utility>

#include "engine/base/json.h"

namespace rankd {

std::unique_ptr<RequestRecords> RequestRecords::Open(const RecordOptions& options, UvLoop& loop,
                                                     Console& console) {
  std::unique_ptr<RequestRecords> records(new RequestRecords(loop, console));
  if (options.trace_file) {
    SideFile::Options file;
    file.path = *options.trace_file;
    file.closing = TraceFile::kClosing;
    std::unique_ptr<SideFile> opened = records->OpenFile("--trace", std::move(file));
    if (opened == nullptr) return nullptr;
    records->trace_file_ = std::make_unique<TraceFile>(std::move(opened), loop.Now());
  }
  if (options.log_file) {
    SideFile::Options file;
    file.path = *options.log_file;
    file.append = true;
    std::unique_ptr<SideFile> opened = records->OpenFile("--log", std::move(file));
    if (opened == nullptr) return nullptr;
    records->log_ = std::make_unique<RequestLog>(std::move(opened));
  }
  return records;
}

std::unique_ptr<SideFile> RequestRecords::OpenFile(const char* flag, SideFile::Options options) {
  std::string what = std::string(flag) + " file ";
  AppendJsonString(what, options.path);
  options.on_failure = [this, what](std::string_view reason) {
    console_.Error("cannot write the " + what + ": " + std::string(reason) +
                   "; it ends here, the requests go on");
  };
  options.on_written = [this] {
    if (on_progress_) on_progress_();
  };
  Result<std::unique_ptr<SideFile>> file = SideFile::Open(std::move(options), loop_);
  if (file) return *std::move(file);
  console_.Error("cannot open the " + what + ": " + file.error().message);
  return nullptr;
}

void RequestRecords::Require(RunSpec& spec) const {
  if (trace_file_ != nullptr) spec.trace = true;
  if (log_ != nullptr) spec.count_kv = true;
}

void RequestRecords::OnRefused(std::string_view request_id, const Error& error) {
  if (log_ == nullptr) return;
  LogEntry entry;
  entry.request_id = request_id;
  entry.failure = error.code;
  log_->Write(entry);
}

void RequestRecords::OnAnswer(const Run& run, const Request& request,
                              const Result<std::span<const RowSet>>& outputs) {
  if (log_ == nullptr) return;
  LogEntry entry;
  entry.request_id = request.id_json;
  entry.plan = request.plan->name;
  entry.latency = loop_.Now() - run.start_time();
  entry.kv = run.kv_usage();
  if (outputs) {
    for (const RowSet& rows : *outputs) entry.rows += rows.rows();
  } else {
    entry.failure = outputs.error().code;
  }
  log_->Write(entry);
}

void RequestRecords::OnEnd(const Run& run, const Request& request,
                           std::optional<ErrorCode> failure) {
  if (trace_file_ != nullptr) trace_file_->Write(run.trace(), request.id_json, failure);
}

bool RequestRecords::behind() const {
  return (trace_file_ != nullptr && trace_file_->file().behind()) ||
         (log_ != nullptr && log_->file().behind());
}

bool RequestRecords::finished() const {
  return (trace_file_ == nullptr || trace_file_->file().finished()) &&
         (log_ == nullptr || log_->file().finished());
}

bool RequestRecords::Finish(std::optional<std::chrono::milliseconds> limit) {
  class Limit final : public Timer {
   public:
    explicit Limit(UvLoop& loop) : loop_(loop) {}
    void OnTimer() override { loop_.Stop(); }

   private:
    UvLoop& loop_;
  };

  if (trace_file_ != nullptr) trace_file_->file().Close();
  if (log_ != nullptr) log_->file().Close();
  if (finished()) return true;
  on_progress_ = [this] {
    if (finished()) loop_.Stop();
  };
  Limit timer(loop_);
  if (limit) loop_.Arm(timer, loop_.Now() + *limit);
  loop_.Run();
  return finished();
}

void RequestRecords::Interrupt() { loop_.Stop(); }

bool RequestRecords::failed() const {
  return (trace_file_ != nullptr && trace_file_->file().failed()) ||
         (log_ != nullptr && log_->file().failed());
}

}  // namespace rankd
