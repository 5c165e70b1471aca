#include "cli/record_files.h"

#include <algorithm>
#include <string>
#include <utility>

#include <unistd.h>

#include "engine/base/json.h"

namespace rankd {

std::unique_ptr<RecordFiles> RecordFiles::Open(const RecordOptions& options, UvLoop& loop,
                                               std::uint32_t loop_count, Console& console) {
  std::unique_ptr<RecordFiles> files(new RecordFiles(loop, console));
  if (options.trace_file) {
    files->trace_context_.process_id = ::getpid();
    files->trace_context_.start = loop.Now();
    files->trace_context_.loop_count = loop_count;
    SideFile::Options file;
    file.path = *options.trace_file;
    file.closing = kTraceEnd;
    files->trace_ = files->OpenFile("--trace", std::move(file));
    if (files->trace_ == nullptr) return nullptr;
    std::string head;
    AppendTraceHead(head, files->trace_context_);
    files->trace_->Append(head);
  }
  if (options.log_file) {
    SideFile::Options file;
    file.path = *options.log_file;
    file.append = true;
    files->log_ = files->OpenFile("--log", std::move(file));
    if (files->log_ == nullptr) return nullptr;
  }
  return files;
}

std::unique_ptr<SideFile> RecordFiles::OpenFile(const char* flag, SideFile::Options options) {
  std::string what = std::string(flag) + " file ";
  AppendJsonString(what, options.path);
  options.on_failure = [this, what](std::string_view reason) {
    console_.Error("cannot write the " + what + ": " + std::string(reason) +
                   "; it ends here, the requests go on");
  };
  options.on_written = [this] { OnProgress(); };
  Result<std::unique_ptr<SideFile>> file = SideFile::Open(std::move(options), loop_);
  if (file) return *std::move(file);
  console_.Error("cannot open the " + what + ": " + file.error().message);
  return nullptr;
}

void RecordFiles::UseExecutor(Executor& executor) {
  if (trace_ == nullptr) return;
  trace_jobs_.emplace(trace_context_, *trace_, executor, loop_, [this] { OnProgress(); });
}

bool RecordFiles::behind() const {
  return (trace_ != nullptr && trace_->behind()) || (log_ != nullptr && log_->behind()) ||
         (trace_jobs_ && trace_jobs_->behind());
}

bool RecordFiles::finished() const {
  return (trace_ == nullptr || trace_->finished()) && (log_ == nullptr || log_->finished());
}

void RecordFiles::CloseTrace() {
  if (trace_ != nullptr && !std::exchange(trace_closed_, true)) trace_->Close();
}

bool RecordFiles::Finish(std::optional<std::chrono::milliseconds> limit) {
  if (limit) Hurry(*limit);
  if (log_ != nullptr) log_->Close();
  const auto proceed = [this] {
    if (!trace_jobs_ || trace_jobs_->idle()) CloseTrace();
    if (finished()) loop_.Stop();
  };
  on_progress_ = proceed;
  proceed();
  TurnUntilLimit();
  if (!finished()) {
    // What has not become text yet is left out; what has is written for as long again.
    CloseTrace();
    TurnUntilLimit();
  }
  if (!finished()) {
    if (trace_ != nullptr) trace_->GiveUp();
    if (log_ != nullptr) log_->GiveUp();
  }
  return finished();
}

void RecordFiles::TurnUntilLimit() {
  expired_ = false;
  turning_ = true;
  if (limit_) loop_.Arm(finish_timer_, loop_.Now() + *limit_);
  // Whoever else uses the loop may stop it, late: that ends nothing here.
  while (!finished() && !expired_) loop_.Run();
  turning_ = false;
  finish_timer_.Disarm();
}

void RecordFiles::Hurry(std::chrono::milliseconds limit) {
  limit_ = std::min(limit, limit_.value_or(limit));
  const TimePoint due = loop_.Now() + *limit_;
  // However many signals come, none puts the end off.
  if (turning_ && (!finish_timer_.armed() || due < finish_timer_.due())) {
    loop_.Arm(finish_timer_, due);
  }
}

void RecordFiles::OnLimit() {
  expired_ = true;
  loop_.Stop();
}

bool RecordFiles::failed() const {
  return (trace_ != nullptr && trace_->failed()) || (log_ != nullptr && log_->failed());
}

}  // namespace rankd
