// What the requests of one process run on: the loops, the pool, the files of records.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cli/loop_plans.h"
#include "cli/options.h"
#include "cli/record_files.h"
#include "cli/session_loop.h"
#include "cli/workspace.h"
#include "engine/io/thread_pool.h"
#include "engine/io/uv_loop.h"

namespace rankd {

/// Owned by whoever serves, on the thread of its loop. From Open on, SIGPIPE and SIGXFSZ are
/// ignored.
class Session {
 public:
  /// Nullptr when a store's data or a file of records is at fault, which the workspace's console
  /// has been told (status 2 is due then). Throws std::system_error where the system refuses
  /// threads or descriptors. `options` and `workspace` must outlive it.
  static std::unique_ptr<Session> Open(const Options& options, Workspace& workspace);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The loop of the thread that serves: signals, stdin and stdout, the files of records.
  UvLoop& loop() { return loop_; }
  RecordFiles& record_files() { return *files_; }
  /// The loops that requests run on: the session's own, or --loops others.
  std::span<const std::unique_ptr<SessionLoop>> loops() const { return loops_; }

 private:
  explicit Session(Workspace& workspace) : plans_(workspace.plans()) {}

  UvLoop loop_;
  SharedPlans plans_;
  std::unique_ptr<RecordFiles> files_;
  std::vector<std::unique_ptr<SessionLoop>> loops_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace rankd
