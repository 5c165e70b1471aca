#include "engine/kv/inflight_limiter.h"

#include <memory>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

class IdleRequest final : public KvRequest {
 public:
  IdleRequest() : KvRequest(commands_) {}
  void OnReplies(Result<Replies>) override {}

 private:
  CommandBatch commands_;
};

TEST_CASE("requests are admitted in order while places are free") {
  InflightLimiter limiter(2);
  std::vector<IdleRequest> requests(4);
  for (IdleRequest& request : requests) limiter.Wait(request);
  CHECK(limiter.waiting() == 4);
  CHECK(limiter.Admit() == &requests[0]);
  CHECK(limiter.Admit() == &requests[1]);
  CHECK(limiter.Admit() == nullptr);
  CHECK(limiter.in_flight() == 2);
  limiter.Leave();
  CHECK(limiter.Admit() == &requests[2]);
  CHECK(limiter.Admit() == nullptr);
  CHECK(limiter.waiting() == 1);
}

TEST_CASE("a request that waits can be taken out from anywhere") {
  InflightLimiter limiter(1);
  std::vector<IdleRequest> requests(5);
  for (IdleRequest& request : requests) limiter.Wait(request);
  limiter.StopWaiting(requests[2]);  // the middle
  limiter.StopWaiting(requests[0]);  // the first
  limiter.StopWaiting(requests[4]);  // the last
  CHECK(limiter.Admit() == &requests[1]);
  limiter.Leave();
  limiter.Wait(requests[0]);
  CHECK(limiter.TakeWaiting() == &requests[3]);
  CHECK(limiter.TakeWaiting() == &requests[0]);
  CHECK(limiter.TakeWaiting() == nullptr);
  CHECK(limiter.in_flight() == 0);
}

TEST_CASE("a limit of 0 is a limit of 1") {
  InflightLimiter limiter(0);
  std::vector<IdleRequest> requests(2);
  for (IdleRequest& request : requests) limiter.Wait(request);
  CHECK(limiter.Admit() == &requests[0]);
  CHECK(limiter.Admit() == nullptr);
}

}  // namespace
}  // namespace rankd
