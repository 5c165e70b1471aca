#include "engine/base/stop.h"

#include "engine/base/check.h"

namespace rankd {

void StopCallback::Detach() {
  if (source_ == nullptr) return;
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else {
    source_->head_ = next_;
  }
  if (next_ != nullptr) next_->previous_ = previous_;
  source_ = nullptr;
  previous_ = nullptr;
  next_ = nullptr;
}

StopSource::~StopSource() { RANKD_CHECK(head_ == nullptr); }

bool StopSource::Attach(StopCallback& callback) {
  if (stopped_) return false;
  RANKD_CHECK(callback.source_ == nullptr);
  callback.source_ = this;
  callback.next_ = head_;
  if (head_ != nullptr) head_->previous_ = &callback;
  head_ = &callback;
  return true;
}

void StopSource::Stop() {
  stopped_ = true;
  // From the head each time: a callback may detach or destroy any other.
  while (head_ != nullptr) {
    StopCallback* callback = head_;
    callback->Detach();
    callback->OnStop();
  }
}

void StopSource::Reset() {
  RANKD_CHECK(head_ == nullptr);
  stopped_ = false;
}

}  // namespace rankd
