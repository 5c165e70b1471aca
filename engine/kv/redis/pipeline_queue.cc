#include "engine/kv/redis/pipeline_queue.h"

namespace rankd {
namespace {

/// Spare ones beyond this are freed once the queue is empty.
constexpr std::size_t kKeptPipelines = 1024;

}  // namespace

void PipelineQueue::Reserve() {
  if (!free_.empty()) return;
  // For all of them, when they come back.
  if (free_.capacity() == all_.size()) free_.reserve(2 * all_.size() + 1);
  all_.push_back(std::make_unique<SentPipeline>());
  free_.push_back(all_.back().get());
}

SentPipeline& PipelineQueue::Push(KvRequest& request, std::size_t sent_bytes, TimePoint sent_at) {
  SentPipeline& pipeline = *free_.back();
  free_.pop_back();
  pipeline.request = &request;
  pipeline.unanswered = request.commands().size();
  pipeline.bytes = sizeof(SentPipeline) + sent_bytes;
  pipeline.sent_at = sent_at;
  pipeline.next = nullptr;
  (last_ == nullptr ? first_ : last_->next) = &pipeline;
  last_ = &pipeline;
  if (waiting_from_ == nullptr) waiting_from_ = &pipeline;
  return pipeline;
}

void PipelineQueue::PopFront() {
  SentPipeline& pipeline = *first_;
  if (waiting_from_ == first_) waiting_from_ = first_->next;
  first_ = pipeline.next;
  if (first_ == nullptr) last_ = nullptr;
  Forget(pipeline);
  forgotten_bytes_ -= pipeline.bytes;
  if (first_ == nullptr && all_.size() > kKeptPipelines) {
    free_.clear();
    all_.clear();
    return;
  }
  free_.push_back(&pipeline);
}

void PipelineQueue::Forget(SentPipeline& pipeline) {
  if (pipeline.request != nullptr) forgotten_bytes_ += pipeline.bytes;
  pipeline.request = nullptr;
  pipeline.replies = Replies();
}

SentPipeline* PipelineQueue::FirstWaiting() {
  while (waiting_from_ != nullptr && waiting_from_->request == nullptr) {
    waiting_from_ = waiting_from_->next;
  }
  return waiting_from_;
}

}  // namespace rankd
