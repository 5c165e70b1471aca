#include "cli/trace_jobs.h"

#include <memory>
#include <utility>

namespace rankd {

class TraceJobs::Job final : public PoolJob {
 public:
  Job(TraceJobs& jobs, RunTrace trace, std::string request_id, std::optional<ErrorCode> failure,
      std::uint32_t loop)
      : jobs_(jobs),
        trace_(std::move(trace)),
        request_id_(std::move(request_id)),
        failure_(failure),
        loop_(loop) {}

  void Execute(std::uint32_t) override {
    const std::unique_ptr<Job> self(this);
    TraceWriter writer(jobs_.context_, loop_);
    std::string text;
    writer.Append(text, trace_, request_id_, failure_);
    jobs_.file_.Append(text);
    jobs_.OnJobEnd(trace_.nodes.size());
  }

 private:
  TraceJobs& jobs_;
  const RunTrace trace_;
  const std::string request_id_;
  const std::optional<ErrorCode> failure_;
  const std::uint32_t loop_;
};

TraceJobs::TraceJobs(TraceContext& context, SideFile& file, Executor& executor, Loop& loop,
                     std::function<void()> on_progress)
    : context_(context),
      file_(file),
      executor_(executor),
      loop_(loop),
      on_progress_(std::move(on_progress)) {}

void TraceJobs::Submit(RunTrace trace, std::string request_id, std::optional<ErrorCode> failure,
                       std::uint32_t loop) {
  ++jobs_;
  nodes_ += trace.nodes.size();
  auto job = std::make_unique<Job>(*this, std::move(trace), std::move(request_id), failure, loop);
  executor_.Submit(*job.release());
}

void TraceJobs::OnJobEnd(std::size_t nodes) {
  nodes_ -= nodes;
  --jobs_;
  if (!progress_posted_.exchange(true)) loop_.Post(progress_);
}

void TraceJobs::OnProgress() {
  progress_posted_.store(false);
  on_progress_();
}

}  // namespace rankd
