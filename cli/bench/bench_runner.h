// Puts a load on plans and measures it: the loop of a bench, closed or open.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/answer_sink.h"
#include "cli/bench/bench_requests.h"
#include "cli/bench/bench_supply.h"
#include "cli/bench/latency_histogram.h"
#include "cli/failure_counts.h"
#include "cli/flight.h"
#include "cli/request_records.h"
#include "engine/io/loop.h"
#include "engine/io/member_calls.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"

namespace rankd {

/// Of a whole bench, which several runners may share, but for `places`.
struct BenchLoad {
  std::uint64_t iterations = 1;
  std::uint64_t warmup = 0;
  std::size_t places = 1;  ///< Requests in flight, at most; of a runner, its own.
  /// Requests a second. Open loop: request k is due at k/rate, whatever became of those before it.
  /// Nullopt, closed loop: each request is due when a place is free.
  std::optional<double> rate;
  /// A timer may be so late. The loop is not waited for in the last bit before a request is due.
  Duration timer_slack{};
};

/// The requests of a load, as far as no runner has taken them.
struct BenchSupplies {
  BenchSupplies(const BenchLoad& load, std::size_t runners)
      : warmup(load.warmup, runners, load.rate.has_value()),
        measured(load.iterations, runners, load.rate.has_value()) {}
  BenchSupply warmup;
  BenchSupply measured;
};

/// What was measured, without the warm-up.
struct BenchTally {
  std::uint64_t iterations = 0;  ///< Answered, with a failure or without.
  FailureCounts failures;
  /// Of the answers that are no failures: from when the request was due until its answer was
  /// written.
  LatencyHistogram latencies;
  std::uint64_t late = 0;  ///< Open loop: due while all places were taken.
  std::size_t peak_in_flight = 0;
  TimePoint began{};   ///< When the first request was due.
  Duration elapsed{};  ///< From then to the last answer, or to Stop; 0 for nothing measured.

  /// What another runner measured at the same time. The peaks are added: no less than there were.
  void Add(const BenchTally& other);
};

/// How far a runner is, for another thread to look at.
struct BenchProgressCounts {
  std::atomic<bool> measuring = false;
  std::atomic<std::uint64_t> warmed_up = 0;  ///< Finished in the warm-up.
  std::atomic<std::uint64_t> finished = 0;   ///< After it, as the next.
  std::atomic<std::uint64_t> failed = 0;
};

/// Each request goes the way of one in a stream: its bytes are parsed, it runs, its answer is
/// written, and only then its place is free. Loop thread only.
class BenchRunner final : RunListener, public OutputListener {
 public:
  /// Everything referred to must outlive it. `requests` must not be empty; `supplies` are of the
  /// load, and shared with the other runners.
  BenchRunner(const BenchLoad& load, BenchSupplies& supplies,
              std::span<const BenchRequest> requests, const RunServices& services,
              RequestParser& parser, const RunDefaults& defaults, RequestRecords& records);

  /// Begins with the warm-up; `sink` must tell this what was written. `on_done` is called once,
  /// when everything has been answered and nothing is in flight.
  void Start(AnswerSink& sink, std::function<void()> on_done);
  /// The files of the records are no longer behind.
  void OnRecordsProgress() { turn_task_.Post(loop_); }
  /// Starts nothing more and cancels what is in flight, which does not count. Once `grace` is over,
  /// on_done is called even though something is in flight. Later calls change nothing.
  void Stop(Duration grace);

  bool stopped() const { return stopping_; }
  /// After on_done: something is in flight and must not be waited for.
  bool abandoned() const { return !idle(); }
  const BenchTally& tally() const { return tally_; }

  /// Any thread.
  const BenchProgressCounts& progress() const { return progress_; }

 private:
  struct BenchFlight : Flight {
    using Flight::Flight;
    TimePoint due{};
  };
  struct Answer {
    TimePoint due;
    std::optional<ErrorCode> failure;
  };

  /// Goes on when the work of the turn is done.
  class TurnTask final : public LoopTask {
   public:
    explicit TurnTask(BenchRunner& runner) : runner_(runner) {}
    void OnLoop() override {
      posted_ = false;
      runner_.Pump();
    }
    void Post(Loop& loop) {
      if (!std::exchange(posted_, true)) loop.Post(*this);
    }

   private:
    BenchRunner& runner_;
    bool posted_ = false;
  };

  void OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) override;
  void OnIdle(Run& run) override;
  void OnWritten(int error) override;

  void BeginPhase(bool measuring);
  /// Whether there is a request to start; takes some where it has none.
  bool HasNext();
  /// All of the phase that this runner has taken are answered, and nobody can take more.
  bool PhaseIsOver() { return in_flight_ == 0 && !HasNext(); }
  /// Starts what is due, hands over answers, ends when all is done.
  void Pump();
  bool MayStart();
  TimePoint DueTime(std::uint64_t index) const;
  void StartRequest(TimePoint due);
  void WaitUntil(TimePoint due, TimePoint now);
  void Count(const Answer& answer, TimePoint written);
  bool idle() const;
  void EndIfIdle();
  void GiveUp();

  const BenchLoad load_;
  BenchSupplies& supplies_;
  std::span<const BenchRequest> requests_;
  Loop& loop_;
  RequestParser& parser_;
  const RunDefaults defaults_;
  RequestRecords& records_;
  FlightPool<BenchFlight> flights_;
  AnswerSink* sink_ = nullptr;
  std::function<void()> on_done_;

  bool measuring_ = false;
  TimePoint phase_start_{};
  BenchSupply::Range taken_;    ///< Of this phase, not started yet.
  std::uint64_t finished_ = 0;  ///< In this phase; answers that have been written.
  std::size_t in_flight_ = 0;   ///< From the start of a request until its answer is written.
  TimePoint place_freed_ =
      TimePoint::min();  ///< When last all places were taken, and one got free.
  bool stopping_ = false;
  bool done_ = false;

  std::vector<Answer> answered_;  ///< In the sink's buffer.
  std::vector<Answer> writing_;
  MemberTimer<BenchRunner, &BenchRunner::Pump> start_timer_{*this};
  MemberTimer<BenchRunner, &BenchRunner::GiveUp> grace_timer_{*this};
  TurnTask turn_task_{*this};
  std::string scratch_;
  BenchTally tally_;
  BenchProgressCounts progress_;
};

}  // namespace rankd
