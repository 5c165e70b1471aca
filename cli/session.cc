#include "cli/session.h"

#include <csignal>
#include <cstdint>

#include "cli/standard_descriptors.h"
#include "engine/io/thread_pool.h"

namespace rankd {
namespace {

/// What the loop, its signals and the reader open between them; and each loop beside it.
constexpr int kLoopDescriptors = 8;
constexpr int kFurtherLoopDescriptors = 4;

std::size_t PoolThreads(const RunOptions& options) {
  return options.cpu_threads.value_or(AvailableProcessors());
}

}  // namespace

std::unique_ptr<Session> Session::Open(const Options& options, Workspace& workspace) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit fails instead
  const std::uint32_t loops = options.run.loops;
  const int further = loops == 1 ? 0 : static_cast<int>(loops) * kFurtherLoopDescriptors;
  RequireDescriptors(kLoopDescriptors + further);
  std::unique_ptr<Session> session(new Session(workspace));
  session->files_ = RecordFiles::Open(options.records, session->loop_, loops, workspace.console());
  if (session->files_ == nullptr) return nullptr;
  session->pool_ = std::make_unique<ThreadPool>(PoolThreads(options.run));
  session->files_->UseExecutor(*session->pool_);
  const SessionLoop::Shared shared{options, workspace, session->plans_, *session->files_,
                                   *session->pool_};
  for (std::uint32_t number = 0; number < loops; ++number) {
    // One loop needs no thread of its own.
    UvLoop* loop = loops == 1 ? &session->loop_ : nullptr;
    session->loops_.push_back(SessionLoop::Open(shared, loop, number));
    if (session->loops_.back() == nullptr) return nullptr;
  }
  return session;
}

}  // namespace rankd
