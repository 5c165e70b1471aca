#include "engine/kv/memory/memory_client.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/while_true.h"

namespace rankd {

class MemoryClient::Trip final : public Timer {
 public:
  explicit Trip(MemoryClient& owner) : client_(&owner) {}
  void OnTimer() override { client_->Finish(*this); }

  KvRequest* request = nullptr;
  bool times_out = false;

 private:
  MemoryClient* client_;
};

MemoryClient::MemoryClient(Loop& loop, std::shared_ptr<const MemoryStore> store,
                           MemoryOptions options)
    : loop_(&loop),
      store_(std::move(store)),
      options_(std::move(options)),
      limiter_(options_.max_inflight) {}

MemoryClient::~MemoryClient() { RANKD_CHECK(limiter_.in_flight() + limiter_.waiting() == 0); }

void MemoryClient::Submit(KvRequest& request) {
  if (request.commands().empty()) {
    request.OnReplies(Replies());
    return;
  }
  request.client_state = nullptr;
  limiter_.Wait(request);
  Pump();
}

void MemoryClient::Abandon(KvRequest& request) {
  if (request.client_state == nullptr) {
    limiter_.StopWaiting(request);
    return;
  }
  Trip& trip = *static_cast<Trip*>(request.client_state);
  trip.Disarm();
  free_trips_.push_back(&trip);
  limiter_.Leave();
  // Not at once: a request that takes no time would be answered from here, perhaps from within a
  // destructor.
  if (limiter_.waiting() > 0) loop_->Arm(pump_later_, loop_->Now());
}

void MemoryClient::Pump() {
  // An answer may lead to a Submit, which comes here again; the loop below sees to it.
  if (pumping_) return;
  // Not longer, also where what an answer leads to throws: others will be asked for.
  const WhileTrue pumping(pumping_);
  while (KvRequest* request = limiter_.Admit()) {
    const Duration latency = LatencyOf(request->commands());
    if (latency == Duration(0)) {
      limiter_.Leave();
      request->OnReplies(Answer(*request));
    } else if (!StartTrip(*request, latency)) {
      limiter_.Leave();
      request->OnReplies(OutOfMemory());
    }
  }
}

bool MemoryClient::StartTrip(KvRequest& request, Duration latency) {
  try {
    if (free_trips_.empty()) {
      trips_.push_back(std::make_unique<Trip>(*this));
      // Room for all, so that giving one back takes no memory.
      free_trips_.reserve(trips_.capacity());
      free_trips_.push_back(trips_.back().get());
    }
    Trip& trip = *free_trips_.back();
    const Duration limit = options_.request_timeout;
    trip.times_out = limit > Duration(0) && latency > limit;
    loop_->Arm(trip, loop_->Now() + (trip.times_out ? limit : latency));
    free_trips_.pop_back();
    trip.request = &request;
    request.client_state = &trip;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Result<Replies> MemoryClient::Answer(const KvRequest& request) const {
  try {
    return AnswerFromStore(store_, request.commands());
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

std::unexpected<Error> MemoryClient::OutOfMemory() const {
  return Fail(ErrorCode::kLimitExceeded,
              "endpoint " + options_.name + ": out of memory for a reply");
}

void MemoryClient::Finish(Trip& trip) {
  KvRequest& request = *trip.request;
  free_trips_.push_back(&trip);
  limiter_.Leave();
  if (trip.times_out) {
    request.OnReplies(Fail(ErrorCode::kRedisTimeout,
                           "endpoint " + options_.name + ": no reply within " +
                               std::to_string(options_.request_timeout.count()) + " ms"));
  } else {
    request.OnReplies(Answer(request));
  }
  Pump();
}

Duration MemoryClient::LatencyOf(const CommandBatch& commands) const {
  std::chrono::milliseconds latency{0};
  for (const CommandBatch::Stretch& stretch : commands.stretches()) {
    latency = std::max(latency, options_.latency[static_cast<std::size_t>(stretch.verb)]);
  }
  // No further than a timer can reach.
  return std::min<std::chrono::milliseconds>(latency, std::chrono::hours(24 * 365));
}

}  // namespace rankd
