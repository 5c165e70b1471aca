#include "cli/request_handler.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/wire/response.h"

namespace rankd {

RequestHandler::RequestHandler(SessionLoop& loop, LaneListener& listener)
    : listener_(listener),
      records_(loop.records()),
      defaults_(loop.run_defaults()),
      parser_(loop.request_options(), loop.plan_lookup()),
      flights_(loop.services(), *this) {}

void RequestHandler::Handle(std::string_view text, std::uint64_t first_line, std::uint64_t place) {
  PlacedFlight& flight = flights_.Take();
  Result<void> parsed = parser_.Parse(text, first_line, flight.request);
  if (parsed && stopped_) parsed = std::unexpected(StoppedError());
  if (!parsed) {
    failures_.Add(parsed.error().code);
    records_.OnRefused(flight.request.id_json, parsed.error());
    listener_.OnAnswer(place, [&](std::string& out) {
      AppendFailure(out, flight.request.id_json, parsed.error());
    });
    flights_.Release(flight);
    return;
  }
  flight.place = place;
  flights_.Activate(flight);
  ++outstanding_;
  RunSpec spec = flight.TakeSpec(defaults_);
  records_.Require(spec);
  flight.Start(std::move(spec));
}

void RequestHandler::OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) {
  PlacedFlight& flight = static_cast<PlacedFlight&>(run);
  RANKD_CHECK(!flight.answered);
  flight.answered = true;
  --outstanding_;
  // No larger than a std::function holds by itself.
  struct Answer {
    PlacedFlight& flight;
    Result<std::span<const RowSet>>& outputs;
    std::string& scratch;
  } answer{flight, outputs, scratch_};
  listener_.OnAnswer(flight.place, [&answer](std::string& out) {
    answer.flight.AppendAnswer(out, answer.outputs, answer.scratch);
  });
  if (!outputs) {
    flight.failure = outputs.error().code;
    failures_.Add(*flight.failure);
  }
  records_.OnAnswer(run, flight.request, outputs);
}

void RequestHandler::OnIdle(Run& run) {
  PlacedFlight& flight = static_cast<PlacedFlight&>(run);
  records_.OnEnd(run, flight.request, flight.failure);
  flights_.Deactivate(flight);
  listener_.OnLaneProgress();
}

void RequestHandler::Abandon() {
  for (const PlacedFlight* flight : flights_.active()) {
    records_.OnAbandoned(*flight, flight->request, flight->failure);
  }
}

}  // namespace rankd
