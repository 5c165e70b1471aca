// A KvClient over a MemoryStore, with simulated round trips. One per endpoint and loop.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/io/loop.h"
#include "engine/io/member_calls.h"
#include "engine/kv/inflight_limiter.h"
#include "engine/kv/kv.h"
#include "engine/kv/memory/memory_store.h"

namespace rankd {

struct MemoryOptions {
  std::string name;  ///< The endpoint's.
  std::size_t max_inflight = 64;
  /// A round trip that would take longer is redis_timeout after this long. 0: no limit.
  std::chrono::milliseconds request_timeout{0};
  /// By Verb. A pipeline takes the greatest latency of its commands.
  std::array<std::chrono::milliseconds, kVerbCount> latency{};
};

/// Answers within Submit when the latency is zero and a place is free, else from a timer.
class MemoryClient final : public KvClient {
 public:
  MemoryClient(Loop& loop, std::shared_ptr<const MemoryStore> store, MemoryOptions options);
  /// Every request must have been answered or abandoned.
  ~MemoryClient() override;

  void Submit(KvRequest& request) override;
  void Abandon(KvRequest& request) override;
  const std::string& name() const override { return options_.name; }

  std::size_t in_flight() const { return limiter_.in_flight(); }

 private:
  /// A round trip: the place a request holds until its timer fires.
  class Trip;

  Duration LatencyOf(const CommandBatch& commands) const;
  void Pump();
  /// False where there is no memory for it.
  bool StartTrip(KvRequest& request, Duration latency);
  void Finish(Trip& trip);
  /// limit_exceeded where there is no memory for the replies.
  Result<Replies> Answer(const KvRequest& request) const;
  std::unexpected<Error> OutOfMemory() const;

  Loop* loop_;
  std::shared_ptr<const MemoryStore> store_;
  MemoryOptions options_;
  InflightLimiter limiter_;
  std::vector<std::unique_ptr<Trip>> trips_;
  std::vector<Trip*> free_trips_;
  MemberTimer<MemoryClient, &MemoryClient::Pump> pump_later_{*this};
  bool pumping_ = false;
};

}  // namespace rankd
