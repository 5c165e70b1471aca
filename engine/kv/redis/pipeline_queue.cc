#include "engine/kv/redis/pipeline_queue.h"

namespace rankd {

SentPipeline& PipelineQueue::Push(KvRequest& request, TimePoint sent_at) {
  if (free_.empty()) {
    all_.push_back(std::make_unique<SentPipeline>());
    free_.push_back(all_.back().get());
  }
  SentPipeline& pipeline = *free_.back();
  free_.pop_back();
  pipeline.request = &request;
  pipeline.unanswered = request.commands().size();
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
  free_.push_back(&pipeline);
}

void PipelineQueue::Forget(SentPipeline& pipeline) {
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
