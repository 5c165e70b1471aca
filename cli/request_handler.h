// The lane of requests that run on the calling loop: text → parser → run → response line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/failure_counts.h"
#include "cli/flight.h"
#include "cli/request_lane.h"
#include "cli/request_records.h"
#include "cli/session_loop.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"

namespace rankd {

/// Loop thread only.
class RequestHandler final : public RequestLane, RunListener {
 public:
  /// `loop` and `listener` must outlive it.
  RequestHandler(SessionLoop& loop, LaneListener& listener);

  void Handle(std::string_view text, std::uint64_t first_line, std::uint64_t place) override;
  void Flush() override {}
  /// What comes after it is answered in the same way, and never started.
  void CancelAll() override {
    stopped_ = true;
    flights_.CancelAll();
  }
  bool idle() const override { return flights_.active().empty(); }
  void Abandon() override;
  void FinishAbandoning(TimePoint) override {}
  FailureCounts failures() const override { return failures_; }
  std::size_t outstanding() const override { return outstanding_; }
  /// Runs that are not idle: running, or stopping after their answer.
  std::size_t active() const { return flights_.active().size(); }

 private:
  struct PlacedFlight : Flight {
    using Flight::Flight;
    std::uint64_t place = 0;
  };

  void OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) override;
  void OnIdle(Run& run) override;

  LaneListener& listener_;
  RequestRecords& records_;
  const RunDefaults defaults_;
  RequestParser parser_;
  FlightPool<PlacedFlight> flights_;
  FailureCounts failures_;
  bool stopped_ = false;
  std::size_t outstanding_ = 0;
  std::string scratch_;
};

}  // namespace rankd
