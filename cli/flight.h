// A request on its way: parsed, run, answered. What streams and benches do with one alike.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/cpu_mode.h"
#include "engine/base/error.h"
#include "engine/data/rowset.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"

namespace rankd {

/// What is answered to requests that a signal has found in flight.
inline Error StoppedError() { return {ErrorCode::kCancelled, "the process was told to stop"}; }

/// What the flags say for requests that do not say it themselves.
struct RunDefaults {
  std::optional<std::chrono::milliseconds> deadline;
  std::optional<std::chrono::milliseconds> node_timeout;
  CpuMode cpu = CpuMode::kAuto;
};

/// Owned by a FlightPool; loop thread only.
struct Flight : Run {
  using Run::Run;

  /// What the parsed `request` asks of its run; takes its params.
  RunSpec TakeSpec(const RunDefaults& defaults);
  /// Appends the response line, with a trace if the request wants one. From within OnAnswer.
  /// `outputs` become limit_exceeded where there is no memory for the answer. `scratch` is kept for
  /// its memory.
  void AppendAnswer(std::string& out, Result<std::span<const RowSet>>& outputs,
                    std::string& scratch) const;

  Request request;
  std::optional<ErrorCode> failure;  ///< Of the answer.
  bool answered = true;
  std::size_t active_slot = 0;  ///< The pool's.
};

/// Flights, reused. `F` is a Flight with what its driver keeps of a request. Loop thread only.
template <typename F>
class FlightPool {
 public:
  FlightPool(const RunServices& services, RunListener& listener)
      : services_(services), listener_(listener) {}

  /// One that is idle; Activate it or give it back by Release.
  F& Take() {
    if (spare_.empty()) {
      all_.push_back(std::make_unique<F>(services_, listener_));
      return *all_.back();
    }
    F& flight = *spare_.back();
    spare_.pop_back();
    return flight;
  }
  void Release(F& flight) { spare_.push_back(&flight); }

  /// About to be started.
  void Activate(F& flight) {
    flight.failure.reset();
    flight.answered = false;
    flight.active_slot = active_.size();
    active_.push_back(&flight);
  }
  /// The run is idle again, and may be taken.
  void Deactivate(F& flight) {
    active_.back()->active_slot = flight.active_slot;
    active_[flight.active_slot] = active_.back();
    active_.pop_back();
    Release(flight);
  }

  /// Not idle: running, or stopping after their answer.
  const std::vector<F*>& active() const { return active_; }

  /// Answers all that have no answer yet as cancelled.
  void CancelAll() {
    const std::vector<F*> active = active_;
    for (F* flight : active) {
      if (!flight->answered) {
        flight->Cancel(StoppedError());
      }
    }
  }

 private:
  RunServices services_;
  RunListener& listener_;
  std::vector<std::unique_ptr<F>> all_;
  std::vector<F*> spare_;
  std::vector<F*> active_;
};

}  // namespace rankd
