// A loop that requests run on, with what is its own: store connections, plan handles, records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "cli/flight.h"
#include "cli/loop_plans.h"
#include "cli/options.h"
#include "cli/record_files.h"
#include "cli/request_records.h"
#include "cli/store_clients.h"
#include "cli/workspace.h"
#include "engine/io/executor.h"
#include "engine/io/uv_loop.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"

namespace rankd {

/// What the flags say about requests; notes go to `console`, which must outlive it.
RequestOptions RequestOptionsOf(const Options& options, Console& console);

/// Made on the thread of the session; used on the thread that turns the loop.
class SessionLoop {
 public:
  /// What the loops of a session have in common; all of it outlives them.
  struct Shared {
    const Options& options;
    Workspace& workspace;
    SharedPlans& plans;
    RecordFiles& files;
    Executor& executor;
  };

  /// `loop`: one that exists already; nullptr for one of its own. `number`: of those of the
  /// session, from 0. Nullptr when a store's data is at fault, which the console has been told.
  /// Throws std::system_error where the system refuses descriptors.
  static std::unique_ptr<SessionLoop> Open(const Shared& shared, UvLoop* loop,
                                           std::uint32_t number);
  SessionLoop(const SessionLoop&) = delete;
  SessionLoop& operator=(const SessionLoop&) = delete;

  UvLoop& loop() { return *loop_; }
  RequestRecords& records() { return *records_; }
  RunServices services();
  RequestOptions request_options() const;
  /// What the flags say for requests that do not say it themselves.
  RunDefaults run_defaults() const;
  /// Of the workspace's plans. This must outlive it.
  PlanLookup plan_lookup();

 private:
  explicit SessionLoop(const Shared& shared) : shared_(shared), plans_(shared.plans) {}

  const Shared shared_;
  std::unique_ptr<UvLoop> own_loop_;
  UvLoop* loop_ = nullptr;
  std::unique_ptr<StoreClients> stores_;
  std::optional<RequestRecords> records_;
  LoopPlans plans_;
};

}  // namespace rankd
