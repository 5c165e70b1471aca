#include "cli/request_driver.h"

#include <algorithm>
#include <utility>

#include "cli/lane_thread.h"
#include "cli/request_handler.h"
#include "cli/turn_budget.h"
#include "engine/io/short_slice.h"
#include "engine/wire/response.h"

namespace rankd {
namespace {

/// What a signal leaves for answers to be written.
constexpr std::chrono::milliseconds kStreamGrace{900};
/// What lanes of other threads are given to say what they will not bring to an end.
constexpr std::chrono::milliseconds kAbandonPatience{40};
/// How long a reader that takes nothing counts as slow, not as stuck.
constexpr std::chrono::milliseconds kStreamGraceStep{450};

}  // namespace

RequestDriver::RequestDriver(const DriverOptions& options, Session& session)
    : options_(options),
      loop_(session.loop()),
      files_(session.record_files()),
      records_(files_, loop_, 0),
      splitter_(options.max_request_bytes),
      order_(options.ordered),
      reader_(options.input, loop_, *this),
      writer_(options.output, loop_, *this) {
  LaneListener& listener = *this;
  for (const std::unique_ptr<SessionLoop>& loop : session.loops()) {
    if (&loop->loop() == &loop_) {
      lanes_.push_back(std::make_unique<RequestHandler>(*loop, listener));
    } else {
      lanes_.push_back(std::make_unique<LaneThread>(*loop, loop_, listener));
    }
  }
}

RequestDriver::~RequestDriver() = default;

DriverOutcome RequestDriver::Serve() {
  files_.set_on_progress([this] { Pump(); });
  Pump();
  AskForShortSlices();
  loop_.Run();
  served_ = true;
  grace_timer_.Disarm();
  files_.set_on_progress({});
  for (const std::unique_ptr<RequestLane>& lane : lanes_) {
    if (!lane->idle()) lane->Abandon();
  }
  const TimePoint limit = loop_.Now() + kAbandonPatience;
  for (const std::unique_ptr<RequestLane>& lane : lanes_) {
    lane->FinishAbandoning(limit);
    outcome_.failures.Add(lane->failures());
  }
  return outcome_;
}

void RequestDriver::Pump() {
  if (served_) return;
  AdmitSome();
  for (const std::unique_ptr<RequestLane>& lane : lanes_) lane->Flush();
  if (!more_text_ && !input_ended_ && !stopping_ && !reader_.reading() &&
      in_flight_ < options_.concurrency) {
    reader_.RequestBlock();
  }
  // Nothing behind a write that has failed, or that the grace period has cut off.
  if (!writer_.writing() && outcome_.output_error == 0 && !past_grace_) {
    unflushed_ += order_.Release(writer_.buffer());
    if (unflushed_ > 0) {
      being_written_ = std::exchange(unflushed_, 0);
      writer_.Flush();
    }
  }
  const bool no_more = stopping_ || (input_ended_ && !more_text_);
  if (no_more && in_flight_ == 0 && LanesAreIdle()) loop_.Stop();
}

void RequestDriver::AdmitSome() {
  if (more_posted_) return;
  const TimePoint end = loop_.Now() + kTurnBudget;
  while (more_text_ && !stopping_ && in_flight_ < options_.concurrency && !files_.behind()) {
    const std::optional<RequestText> text = splitter_.Next();
    if (!text) {
      more_text_ = false;
      return;
    }
    Admit(*text);
    if (loop_.Now() > end) {
      more_posted_ = true;
      loop_.Post(more_);
      return;
    }
  }
}

void RequestDriver::OnMore() {
  more_posted_ = false;
  Pump();
}

void RequestDriver::Admit(const RequestText& text) {
  ++in_flight_;
  ++outcome_.requests;
  const std::uint64_t place = order_.Reserve();
  switch (text.status) {
    case RequestText::Status::kTruncated:
      return Refuse(text.first_line, place,
                    Error(ErrorCode::kInvalidJson, "request ends before its brackets are closed"));
    case RequestText::Status::kTooLarge:
      return Refuse(text.first_line, place,
                    Error(ErrorCode::kRequestTooLarge,
                          "request is longer than " + std::to_string(options_.max_request_bytes) +
                              " bytes; raise --max_request_bytes to take it"));
    case RequestText::Status::kComplete:
      return NextLane().Handle(text.bytes, text.first_line, place);
  }
}

RequestLane& RequestDriver::NextLane() {
  if (lanes_.size() == 1) return *lanes_.front();
  return **std::ranges::min_element(lanes_, {},
                                    [](const auto& lane) { return lane->outstanding(); });
}

void RequestDriver::Refuse(std::uint64_t first_line, std::uint64_t place, const Error& error) {
  const std::string id_json = "\"line:" + std::to_string(first_line) + "\"";
  outcome_.failures.Add(error.code);
  records_.OnRefused(id_json, error);
  OnAnswer(place, [&](std::string& out) { AppendFailure(out, id_json, error); });
}

void RequestDriver::OnAnswer(std::uint64_t place, const std::function<void(std::string&)>& append) {
  // Written at the end of the turn, with the other answers of the turn.
  loop_.AtTurnEnd(*this);
  unflushed_ += order_.Put(place, writer_.buffer(), append);
}

void RequestDriver::OnLaneProgress() { loop_.AtTurnEnd(*this); }

void RequestDriver::CancelAll() {
  for (const std::unique_ptr<RequestLane>& lane : lanes_) lane->CancelAll();
}

bool RequestDriver::LanesAreIdle() const {
  return std::ranges::all_of(lanes_, [](const auto& lane) { return lane->idle(); });
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
  if (served_) return;
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
  outcome_.signalled = loop_.Now();
  stopping_ = true;
  give_up_at_ = loop_.Now() + kStreamGrace;
  loop_.Arm(grace_timer_, loop_.Now() + kStreamGraceStep);
  CancelAll();
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
  outcome_.abandoned = in_flight_ > 0 || !LanesAreIdle();
  loop_.Stop();
}

}  // namespace rankd
