#include "cli/request_driver.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/wire/response.h"

namespace rankd {
namespace {

/// What a signal leaves for answers to be written.
constexpr std::chrono::milliseconds kStreamGrace{900};
/// How long a reader that takes nothing counts as slow, not as stuck.
constexpr std::chrono::milliseconds kStreamGraceStep{450};

std::string LineId(std::uint64_t line) { return "\"line:" + std::to_string(line) + "\""; }

}  // namespace

RequestDriver::RequestDriver(const DriverOptions& options, UvLoop& loop,
                             const RunServices& services, PlanLookup lookup)
    : options_(options),
      loop_(loop),
      splitter_(options.max_request_bytes),
      parser_(options.requests, std::move(lookup)),
      order_(options.ordered),
      reader_(options.input, loop, *this),
      writer_(options.output, loop, *this),
      flights_(services, *this) {}

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
  for (const StreamFlight* flight : flights_.active()) {
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
  if (no_more && in_flight_ == 0 && flights_.active().empty()) loop_.Stop();
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
  StreamFlight& flight = flights_.Take();
  if (Result<void> parsed = parser_.Parse(text.bytes, text.first_line, flight.request); !parsed) {
    Refuse(flight.request.id_json, place, parsed.error());
    flights_.Release(flight);
    return;
  }
  flight.place = place;
  flights_.Activate(flight);
  RunSpec spec = flight.TakeSpec(options_.defaults);
  options_.records->Require(spec);
  flight.Start(std::move(spec));
}

void RequestDriver::Refuse(std::string_view id_json, std::uint64_t place, const Error& error) {
  outcome_.failures.Add(error.code);
  options_.records->OnRefused(id_json, error);
  unflushed_ += order_.Put(place, writer_.buffer(),
                           [&](std::string& out) { AppendFailure(out, id_json, error); });
}

void RequestDriver::OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) {
  StreamFlight& flight = static_cast<StreamFlight&>(run);
  RANKD_CHECK(!flight.answered);
  flight.answered = true;
  // Written at the end of the turn, with the other answers of the turn; the run may go on stopping
  // long after.
  loop_.AtTurnEnd(*this);
  unflushed_ += order_.Put(flight.place, writer_.buffer(),
                           [&](std::string& out) { flight.AppendAnswer(out, outputs, scratch_); });
  if (!outputs) {
    flight.failure = outputs.error().code;
    outcome_.failures.Add(*flight.failure);
  }
  options_.records->OnAnswer(run, flight.request, outputs);
}

void RequestDriver::OnIdle(Run& run) {
  StreamFlight& flight = static_cast<StreamFlight&>(run);
  options_.records->OnEnd(run, flight.request, flight.failure);
  flights_.Deactivate(flight);
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
    flights_.CancelAll();
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
  give_up_at_ = loop_.Now() + kStreamGrace;
  loop_.Arm(grace_timer_, loop_.Now() + kStreamGraceStep);
  flights_.CancelAll();
  Pump();
}

void RequestDriver::OnGraceStep() {
  const bool reader_goes_on = std::exchange(taken_before_, writer_.taken()) != taken_before_;
  past_grace_ = loop_.Now() >= give_up_at_;
  if (past_grace_) {
    // No line is left unfinished while somebody takes it.
    writer_.StopAtLineEnd();
    if (!writer_.writing() || !reader_goes_on) {
      GiveUp();
      return;
    }
  }
  loop_.Arm(grace_timer_, loop_.Now() + kStreamGraceStep);
}

void RequestDriver::GiveUp() {
  outcome_.abandoned = in_flight_ > 0 || !flights_.active().empty();
  loop_.Stop();
}

}  // namespace rankd
