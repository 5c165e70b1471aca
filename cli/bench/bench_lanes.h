// The runners of a bench, one for each loop of the session.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cli/bench/bench_requests.h"
#include "cli/bench/bench_runner.h"
#include "cli/session.h"
#include "engine/io/member_calls.h"

namespace rankd {

/// Shares a load among the loops and turns them, each on a thread of its own unless it is the
/// session's. Owned by whoever measures; on the thread of the session's loop.
class BenchLanes {
 public:
  /// No more of them than requests may be in flight, or there are. Everything referred to must
  /// outlive it. Throws std::system_error where the system refuses threads or descriptors.
  BenchLanes(Session& session, const BenchLoad& load, std::span<const BenchRequest> requests);
  BenchLanes(const BenchLanes&) = delete;
  BenchLanes& operator=(const BenchLanes&) = delete;
  /// Waits for the threads.
  ~BenchLanes();

  /// Turns the session's loop until all is done, or `grace` after Stop has passed. Once. Throws
  /// what a runner's thread threw.
  void Run();
  /// As BenchRunner::Stop.
  void Stop(Duration grace);
  bool stopped() const { return stopped_; }

  /// After Run: something is in flight and must not be waited for; the process can only leave.
  bool abandoned() const;
  /// After Run: of all the runners that came to an end.
  BenchTally tally() const;
  /// For the progress, while Run runs.
  std::vector<const BenchRunner*> runners() const;

 private:
  class Lane;
  void OnLaneDone();
  void GiveUp();

  Session& session_;
  BenchSupplies supplies_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  MemberTimer<BenchLanes, &BenchLanes::GiveUp> give_up_timer_{*this};
  std::size_t done_ = 0;
  bool stopped_ = false;
};

}  // namespace rankd
