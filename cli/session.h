// What the requests of one process run on: the loop, the stores, the pool, the files of records.
#pragma once

#include <memory>
#include <string_view>

#include "cli/flight.h"
#include "cli/options.h"
#include "cli/request_records.h"
#include "cli/store_clients.h"
#include "cli/workspace.h"
#include "engine/io/thread_pool.h"
#include "engine/io/uv_loop.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"

namespace rankd {

/// Owned by whoever serves, on the loop's thread. From Open on, SIGPIPE and SIGXFSZ are
/// ignored.
class Session {
 public:
  /// Nullptr when a store's data or a file of records is at fault, which the workspace's console
  /// has been told (status 2 is due then). Throws std::system_error where the system refuses
  /// threads or descriptors. `options` and `workspace` must outlive it.
  static std::unique_ptr<Session> Open(const Options& options, Workspace& workspace);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  UvLoop& loop() { return loop_; }
  RequestRecords& records() { return *records_; }
  RunServices services();

  /// What the flags say about requests, and what they say for those that do not.
  RequestOptions request_options() const;
  RunDefaults run_defaults() const;
  /// Of the workspace's plans.
  PlanLookup plan_lookup();

 private:
  Session(const Options& options, Workspace& workspace)
      : options_(options), workspace_(workspace) {}

  const Options& options_;
  Workspace& workspace_;
  UvLoop loop_;
  std::unique_ptr<StoreClients> stores_;
  std::unique_ptr<RequestRecords> records_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace rankd
