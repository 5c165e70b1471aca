#include "cli/request_driver.h"

#include <new>
#include <numeric>
#include <utility>

#include "engine/base/check.h"
#include "engine/graph/graph.h"
#include "engine/run/trace_json.h"
#include "engine/wire/response.h"

namespace rankd {
namespace {

/// What a signal leaves for answers to be written.
constexpr std::chrono::milliseconds kGrace{900};
/// How long a reader that takes nothing counts as slow, not as stuck.
constexpr std::chrono::milliseconds kGraceStep{450};

/// False, with `out` as it was, where there is no memory for the answer.
bool AppendIfItFits(std::string& out, const Request& request, std::span<const RowSet> outputs,
                    const ResponseTrace* trace) {
  const std::size_t before = out.size();
  try {
    AppendSuccess(out, request, outputs, trace);
  } catch (const std::bad_alloc&) {
    out.resize(before);
    if (before == 0) std::string().swap(out);
    return false;
  }
  return true;
}

std::string LineId(std::uint64_t line) { return "\"line:" + std::to_string(line) + "\""; }

}  // namespace

std::uint64_t DriverOutcome::failed() const {
  return std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
}

RequestDriver::RequestDriver(const DriverOptions& options, UvLoop& loop,
                             const RunServices& services, PlanLookup lookup)
    : options_(options),
      loop_(loop),
      services_(services),
      splitter_(options.max_request_bytes),
      parser_(options.requests, std::move(lookup)),
      order_(options.ordered),
      reader_(options.input, loop, *this),
      writer_(options.output, loop, *this) {}

RequestDriver::~RequestDriver() = default;

DriverOutcome RequestDriver::Serve() {
  options_.records->set_on_progress([this] { Pump(); });
  Pump();
  loop_.Run();
  options_.records->set_on_progress({});
  RecordAbandoned();
  return outcome_;
}

void RequestDriver::RecordAbandoned() {
  for (const Flight* flight : active_) {
    options_.records->OnEnd(*flight, flight->request, flight->failure);
  }
}

void RequestDriver::Pump() {
  while (more_text_ && !stopping_ && in_flight_ < options_.concurrency &&
         !options_.records->behind()) {
    const std::optional<RequestText> text = splitter_.Next();
    if (!text) {
      more_text_ = false;
      break;
    }
    Admit(*text);
  }
  if (!more_text_ && !input_ended_ && !stopping_ && !reader_.reading() &&
      in_flight_ < options_.concurrency) {
    reader_.RequestBlock();
  }
  if (!writer_.writing()) {
    unflushed_ += order_.Release(writer_.buffer());
    if (unflushed_ > 0) {
      being_written_ = std::exchange(unflushed_, 0);
      writer_.Flush();
    }
  }
  const bool no_more = stopping_ || (input_ended_ && !more_text_);
  if (no_more && in_flight_ == 0 && active_.empty()) loop_.Stop();
}

void RequestDriver::Admit(const RequestText& text) {
  ++in_flight_;
  ++outcome_.requests;
  const std::uint64_t place = order_.Reserve();
  switch (text.status) {
    case RequestText::Status::kTruncated:
      return Refuse(LineId(text.first_line), place,
                    Error(ErrorCode::kInvalidJson, "request ends before its brackets are closed"));
    case RequestText::Status::kTooLarge:
      return Refuse(LineId(text.first_line), place,
                    Error(ErrorCode::kRequestTooLarge,
                          "request is longer than " + std::to_string(options_.max_request_bytes) +
                              " bytes; raise --max_request_bytes to take it"));
    case RequestText::Status::kComplete:
      break;
  }
  Flight& flight = TakeFlight();
  Request& request = flight.request;
  if (Result<void> parsed = parser_.Parse(text.bytes, text.first_line, request); !parsed) {
    spare_.push_back(&flight);
    return Refuse(request.id_json, place, parsed.error());
  }
  flight.place = place;
  flight.failure.reset();
  flight.answered = false;
  flight.active_slot = active_.size();
  active_.push_back(&flight);
  RunSpec spec;
  // PlanLookup gives Graphs; the wire layer knows only their interface.
  spec.graph = std::static_pointer_cast<const Graph>(request.plan);
  spec.params = std::move(request.params);
  spec.user_id = request.user_id.value_or(0);
  spec.cpu = request.cpu.value_or(options_.cpu);
  spec.deadline = request.deadline ? request.deadline : options_.deadline;
  spec.node_timeout = request.node_timeout ? request.node_timeout : options_.node_timeout;
  spec.trace = request.trace;
  options_.records->Require(spec);
  flight.Start(std::move(spec));
}

void RequestDriver::Refuse(std::string_view id_json, std::uint64_t place, const Error& error) {
  ++outcome_.failures[static_cast<std::size_t>(error.code)];
  options_.records->OnRefused(id_json, error);
  unflushed_ += order_.Put(place, writer_.buffer(),
                           [&](std::string& out) { AppendFailure(out, id_json, error); });
}

RequestDriver::Flight& RequestDriver::TakeFlight() {
  if (spare_.empty()) {
    RunListener& listener = *this;
    flights_.push_back(std::make_unique<Flight>(services_, listener));
    spare_.push_back(flights_.back().get());
  }
  Flight& flight = *spare_.back();
  spare_.pop_back();
  return flight;
}

void RequestDriver::OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) {
  Flight& flight = static_cast<Flight&>(run);
  RANKD_CHECK(!flight.answered);
  flight.answered = true;
  // Written at the end of the turn, with the other answers of the turn; the run may go on stopping
  // long after.
  loop_.AtTurnEnd(*this);
  ResponseTrace response_trace;
  if (flight.request.trace) {
    trace_json_.clear();
    AppendTraceJson(trace_json_, run.trace());
    response_trace = {trace_json_, run.trace().answered - run.trace().start};
  }
  const ResponseTrace* trace = flight.request.trace ? &response_trace : nullptr;
  unflushed_ += order_.Put(flight.place, writer_.buffer(), [&](std::string& out) {
    if (outputs && !AppendIfItFits(out, flight.request, *outputs, trace)) {
      outputs = Fail(ErrorCode::kLimitExceeded, "out of memory for the answer");
    }
    if (!outputs) AppendFailure(out, flight.request.id_json, outputs.error(), trace);
  });
  if (!outputs) {
    flight.failure = outputs.error().code;
    ++outcome_.failures[static_cast<std::size_t>(*flight.failure)];
  }
  options_.records->OnAnswer(run, flight.request, outputs);
}

void RequestDriver::OnIdle(Run& run) {
  Flight& flight = static_cast<Flight&>(run);
  active_.back()->active_slot = flight.active_slot;
  active_[flight.active_slot] = active_.back();
  active_.pop_back();
  options_.records->OnEnd(run, flight.request, flight.failure);
  spare_.push_back(&flight);
  loop_.AtTurnEnd(*this);
}

void RequestDriver::OnTurnEnd() { Pump(); }

void RequestDriver::OnInput(std::string_view bytes) {
  splitter_.Feed(bytes);
  more_text_ = true;
  Pump();
}

void RequestDriver::OnInputEnd(int error) {
  outcome_.input_error = error;
  input_ended_ = true;
  splitter_.FinishInput();
  more_text_ = true;
  Pump();
}

void RequestDriver::OnWritten(int error) {
  if (error != 0) {
    outcome_.output_error = error;
    stopping_ = true;
    CancelAll();
    GiveUp();
    return;
  }
  if (past_grace_) {
    GiveUp();
    return;
  }
  in_flight_ -= std::exchange(being_written_, 0);
  Pump();
}

void RequestDriver::OnSignal(int number) {
  if (stopping_) {
    // The first decides, and the grace period bounds what is left; only a slow reader can make it
    // longer than that, and this shorter.
    if (past_grace_) GiveUp();
    return;
  }
  outcome_.signal = number;
  stopping_ = true;
  give_up_at_ = loop_.Now() + kGrace;
  writer_.GoBySmallSteps();
  loop_.Arm(grace_timer_, loop_.Now() + kGraceStep);
  CancelAll();
  Pump();
}

void RequestDriver::CancelAll() {
  const std::vector<Flight*> active = active_;
  for (Flight* flight : active) {
    if (!flight->answered) {
      flight->Cancel(Error(ErrorCode::kCancelled, "the process was told to stop"));
    }
  }
}

void RequestDriver::OnGraceStep() {
  const bool reader_goes_on = std::exchange(written_before_, writer_.written()) != written_before_;
  past_grace_ = loop_.Now() >= give_up_at_;
  if (past_grace_) {
    // No line is left unfinished while somebody takes it.
    writer_.StopAtLineEnd();
    if (!writer_.writing() || !reader_goes_on) {
      GiveUp();
      return;
    }
  }
  loop_.Arm(grace_timer_, loop_.Now() + kGraceStep);
}

void RequestDriver::GiveUp() {
  outcome_.abandoned = in_flight_ > 0 || !active_.empty();
  loop_.Stop();
}

}  // namespace rankd
