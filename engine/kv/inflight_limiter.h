// At most so many pipelines in flight, the others wait first in first out. Used by every client.
// Pure; loop thread only.
#pragma once

#include <cstddef>

#include "engine/kv/kv.h"

namespace rankd {

/// Requests in order, linked through themselves. A request is in at most one queue.
class RequestQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  std::size_t size() const { return size_; }
  KvRequest* front() const { return first_; }

  void PushBack(KvRequest& request);
  void Remove(KvRequest& request);
  /// Nullptr when empty.
  KvRequest* PopFront();

 private:
  KvRequest* first_ = nullptr;
  KvRequest* last_ = nullptr;
  std::size_t size_ = 0;
};

class InflightLimiter {
 public:
  /// `max_inflight` of 0 counts as 1.
  explicit InflightLimiter(std::size_t max_inflight)
      : max_inflight_(max_inflight == 0 ? 1 : max_inflight) {}

  /// Queues a request; it holds no place yet.
  void Wait(KvRequest& request) { waiting_.PushBack(request); }
  /// The request that waits is forgotten.
  void StopWaiting(KvRequest& request) { waiting_.Remove(request); }

  /// The first that waits, which now holds a place; nullptr when none waits or no place is free.
  KvRequest* Admit();
  /// Gives a place back. The caller calls Admit again.
  void Leave();
  /// The first that waits, taken out without a place (to be failed); nullptr when none waits.
  KvRequest* TakeWaiting() { return waiting_.PopFront(); }

  std::size_t in_flight() const { return in_flight_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::size_t max_inflight_;
  std::size_t in_flight_ = 0;
  RequestQueue waiting_;
};

}  // namespace rankd
