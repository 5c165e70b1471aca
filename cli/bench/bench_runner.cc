#include "cli/bench/bench_runner.h"

#include <algorithm>

#include "cli/turn_budget.h"
#include "engine/base/check.h"
#include "engine/wire/response.h"

namespace rankd {
namespace {

/// Farther than any bench goes, and nanoseconds from now can hold it.
constexpr double kFarNs = 3e18;

}  // namespace

void BenchTally::Add(const BenchTally& other) {
  iterations += other.iterations;
  failures.Add(other.failures);
  latencies.Add(other.latencies);
  late += other.late;
  peak_in_flight += other.peak_in_flight;
  if (other.elapsed == Duration::zero()) return;
  if (elapsed == Duration::zero()) {
    began = other.began;
    elapsed = other.elapsed;
    return;
  }
  const TimePoint ended = std::max(began + elapsed, other.began + other.elapsed);
  began = std::min(began, other.began);
  elapsed = ended - began;
}

BenchRunner::BenchRunner(const BenchLoad& load, BenchSupplies& supplies,
                         std::span<const BenchRequest> requests, const RunServices& services,
                         RequestParser& parser, const RunDefaults& defaults,
                         RequestRecords& records)
    : load_(load),
      supplies_(supplies),
      requests_(requests),
      loop_(*services.loop),
      parser_(parser),
      defaults_(defaults),
      records_(records),
      flights_(services, *this) {
  RANKD_CHECK(!requests.empty());
}

void BenchRunner::Start(AnswerSink& sink, std::function<void()> on_done) {
  sink_ = &sink;
  on_done_ = std::move(on_done);
  BeginPhase(load_.warmup == 0);
  Pump();
}

void BenchRunner::BeginPhase(bool measuring) {
  measuring_ = measuring;
  phase_start_ = loop_.Now();
  taken_ = {};
  finished_ = 0;
  if (measuring) tally_.began = phase_start_;
  progress_.measuring.store(measuring, std::memory_order_relaxed);
}

bool BenchRunner::HasNext() {
  if (taken_.empty()) taken_ = (measuring_ ? supplies_.measured : supplies_.warmup).Take();
  return !taken_.empty();
}

bool BenchRunner::MayStart() {
  return !stopping_ && in_flight_ < load_.places && !records_.behind() && HasNext();
}

TimePoint BenchRunner::DueTime(std::uint64_t index) const {
  const double after = static_cast<double>(index) / *load_.rate * 1e9;
  return phase_start_ + Duration(static_cast<std::int64_t>(std::min(after, kFarNs)));
}

void BenchRunner::Pump() {
  // Others may have left nothing of the warm-up.
  if (!measuring_ && !stopping_ && PhaseIsOver()) BeginPhase(true);
  const TimePoint begun = loop_.Now();
  while (MayStart()) {
    const TimePoint now = loop_.Now();
    const TimePoint due = load_.rate ? DueTime(taken_.begin) : now;
    if (due > now) {
      WaitUntil(due, now);
      break;
    }
    if (now - begun > kTurnBudget) {
      loop_.Arm(start_timer_, now);
      break;
    }
    StartRequest(due);
  }
  if (!answered_.empty() && !sink_->writing()) {
    writing_.swap(answered_);
    sink_->Flush();
  }
  EndIfIdle();
}

void BenchRunner::WaitUntil(TimePoint due, TimePoint now) {
  // Timers count in milliseconds and are never early. What is left is bridged by turns that do not
  // wait, so that a request leaves when it is due and not up to a millisecond later, which would
  // count as latency.
  loop_.Arm(start_timer_, std::max(due - load_.timer_slack, now));
}

void BenchRunner::StartRequest(TimePoint due) {
  const BenchRequest& text = requests_[taken_.begin % requests_.size()];
  ++taken_.begin;
  ++in_flight_;
  if (measuring_) {
    tally_.peak_in_flight = std::max(tally_.peak_in_flight, in_flight_);
    if (load_.rate && due < place_freed_) ++tally_.late;
  }
  BenchFlight& flight = flights_.Take();
  if (Result<void> parsed = parser_.Parse(text.text, text.first_line, flight.request); !parsed) {
    AppendFailure(sink_->buffer(), flight.request.id_json, parsed.error());
    records_.OnRefused(flight.request.id_json, parsed.error());
    answered_.push_back({due, parsed.error().code});
    flights_.Release(flight);
    return;
  }
  flight.due = due;
  flights_.Activate(flight);
  RunSpec spec = flight.TakeSpec(defaults_);
  records_.Require(spec);
  flight.Start(std::move(spec));
}

void BenchRunner::OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) {
  BenchFlight& flight = static_cast<BenchFlight&>(run);
  RANKD_CHECK(!flight.answered);
  flight.answered = true;
  turn_task_.Post(loop_);
  flight.AppendAnswer(sink_->buffer(), outputs, scratch_);
  if (!outputs) flight.failure = outputs.error().code;
  records_.OnAnswer(run, flight.request, outputs);
  answered_.push_back({flight.due, flight.failure});
}

void BenchRunner::OnIdle(Run& run) {
  BenchFlight& flight = static_cast<BenchFlight&>(run);
  records_.OnEnd(run, flight.request, flight.failure);
  flights_.Deactivate(flight);
  turn_task_.Post(loop_);
}

void BenchRunner::OnWritten(int error) {
  RANKD_CHECK(error == 0);  // the sink has a reader as long as it lives
  const TimePoint now = loop_.Now();
  if (in_flight_ == load_.places) place_freed_ = now;
  in_flight_ -= writing_.size();
  for (const Answer& answer : writing_) Count(answer, now);
  writing_.clear();
  (measuring_ ? progress_.finished : progress_.warmed_up)
      .store(finished_, std::memory_order_relaxed);
  progress_.failed.store(tally_.failures.total(), std::memory_order_relaxed);
  if (!stopping_ && measuring_ && PhaseIsOver()) tally_.elapsed = now - phase_start_;
  Pump();
}

void BenchRunner::Count(const Answer& answer, TimePoint written) {
  if (stopping_ && answer.failure == ErrorCode::kCancelled) return;
  ++finished_;
  if (!measuring_) return;
  ++tally_.iterations;
  if (answer.failure) {
    tally_.failures.Add(*answer.failure);
  } else {
    tally_.latencies.Record(written - answer.due);
  }
}

void BenchRunner::Stop(Duration grace) {
  if (stopping_ || done_) return;
  stopping_ = true;
  if (measuring_) tally_.elapsed = loop_.Now() - phase_start_;
  start_timer_.Disarm();
  loop_.Arm(grace_timer_, loop_.Now() + grace);
  flights_.CancelAll();
  turn_task_.Post(loop_);
}

bool BenchRunner::idle() const {
  return in_flight_ == 0 && flights_.active().empty() && !sink_->writing();
}

void BenchRunner::EndIfIdle() {
  if (done_ || !idle()) return;
  if (!stopping_ && !(measuring_ && PhaseIsOver())) return;
  done_ = true;
  grace_timer_.Disarm();
  on_done_();
}

void BenchRunner::GiveUp() {
  if (std::exchange(done_, true)) return;
  // Traces name what will not come back in time.
  for (const BenchFlight* flight : flights_.active()) {
    records_.OnAbandoned(*flight, flight->request, flight->failure);
  }
  on_done_();
}

}  // namespace rankd
