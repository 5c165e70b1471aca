// The pipelines of one connection that wait for replies, in the order they were sent. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/kv/kv.h"
#include "engine/kv/reply.h"

namespace rankd {

/// Replies belong to the first that is not answered in full: the position is all RESP has.
struct SentPipeline {
  KvRequest* request = nullptr;  ///< Null once it has timed out or was abandoned.
  std::size_t unanswered = 0;    ///< Commands.
  TimePoint sent_at;
  Replies replies;
  SentPipeline* next = nullptr;
};

class PipelineQueue {
 public:
  PipelineQueue() = default;
  PipelineQueue(const PipelineQueue&) = delete;
  PipelineQueue& operator=(const PipelineQueue&) = delete;

  /// Its address stays until it is popped.
  SentPipeline& Push(KvRequest& request, TimePoint sent_at);
  /// The one the next reply belongs to; nullptr when nothing is unanswered.
  SentPipeline* front() const { return first_; }
  void PopFront();
  /// Its replies will be dropped; those that have come are freed.
  static void Forget(SentPipeline& pipeline);

  /// The oldest that somebody waits for, or nullptr. Amortised constant time.
  SentPipeline* FirstWaiting();

 private:
  SentPipeline* first_ = nullptr;
  SentPipeline* last_ = nullptr;
  SentPipeline* waiting_from_ = nullptr;  ///< Nobody waits for those before it.
  std::vector<std::unique_ptr<SentPipeline>> all_;
  std::vector<SentPipeline*> free_;
};

}  // namespace rankd
