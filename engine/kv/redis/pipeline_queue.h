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
  std::size_t bytes = 0;         ///< What it holds, about: its commands may still wait to be sent.
  TimePoint sent_at;
  Replies replies;
  SentPipeline* next = nullptr;
};

class PipelineQueue {
 public:
  PipelineQueue() = default;
  PipelineQueue(const PipelineQueue&) = delete;
  PipelineQueue& operator=(const PipelineQueue&) = delete;

  /// Makes room for one more, so that neither Push nor PopFront takes memory.
  void Reserve();
  /// Of which `sent_bytes` have been written. Its address stays until it is popped. Only after a
  /// Reserve of its own.
  SentPipeline& Push(KvRequest& request, std::size_t sent_bytes, TimePoint sent_at);
  /// The one the next reply belongs to; nullptr when nothing is unanswered.
  SentPipeline* front() const { return first_; }
  void PopFront();
  /// Its replies will be dropped; those that have come are freed.
  void Forget(SentPipeline& pipeline);
  /// Of all forgotten ones that are still here.
  std::size_t forgotten_bytes() const { return forgotten_bytes_; }

  /// The oldest that somebody waits for, or nullptr. Amortised constant time.
  SentPipeline* FirstWaiting();

 private:
  SentPipeline* first_ = nullptr;
  SentPipeline* last_ = nullptr;
  SentPipeline* waiting_from_ = nullptr;  ///< Nobody waits for those before it.
  std::size_t forgotten_bytes_ = 0;
  std::vector<std::unique_ptr<SentPipeline>> all_;
  std::vector<SentPipeline*> free_;
};

}  // namespace rankd
