#include "engine/kv/inflight_limiter.h"

#include "engine/base/check.h"

namespace rankd {

void RequestQueue::PushBack(KvRequest& request) {
  request.previous_request = last_;
  request.next_request = nullptr;
  (last_ == nullptr ? first_ : last_->next_request) = &request;
  last_ = &request;
  ++size_;
}

void RequestQueue::Remove(KvRequest& request) {
  (request.previous_request == nullptr ? first_ : request.previous_request->next_request) =
      request.next_request;
  (request.next_request == nullptr ? last_ : request.next_request->previous_request) =
      request.previous_request;
  request.previous_request = nullptr;
  request.next_request = nullptr;
  --size_;
}

KvRequest* RequestQueue::PopFront() {
  KvRequest* request = first_;
  if (request != nullptr) Remove(*request);
  return request;
}

KvRequest* InflightLimiter::Admit() {
  if (in_flight_ >= max_inflight_) return nullptr;
  KvRequest* request = waiting_.PopFront();
  if (request != nullptr) ++in_flight_;
  return request;
}

void InflightLimiter::Leave() {
  RANKD_CHECK(in_flight_ > 0);
  --in_flight_;
}

}  // namespace rankd
