#include "engine/kv/kv.h"

#include <utility>

#include "engine/base/check.h"

namespace rankd {

KvCall::~KvCall() {
  if (submitted_) client_->Abandon(*this);
}

bool KvCall::await_suspend(std::coroutine_handle<> waiter) {
  RANKD_CHECK(!submitted_ && !result_);
  if (!stop_->Attach(*this)) {
    result_.emplace(Fail(ErrorCode::kCancelled, "cancelled"));
    return false;
  }
  if (observer_ != nullptr) pipeline_ = observer_->OnSubmit(*client_, commands());
  submitted_ = true;
  submitting_ = true;
  client_->Submit(*this);
  submitting_ = false;
  if (!result_ && !attached()) OnStop();  // stopped from within Submit
  if (result_) return false;
  waiter_ = waiter;
  return true;
}

Result<Replies> KvCall::await_resume() { return *std::move(result_); }

void KvCall::OnReplies(Result<Replies> replies) {
  submitted_ = false;
  Detach();
  Complete(std::move(replies));
}

void KvCall::OnStop() {
  if (submitting_) return;  // await_suspend sees to it when Submit has returned
  submitted_ = false;
  client_->Abandon(*this);
  Complete(Fail(ErrorCode::kCancelled, "cancelled"));
}

void KvCall::Complete(Result<Replies> replies) {
  result_.emplace(std::move(replies));
  if (observer_ != nullptr) observer_->OnReplies(pipeline_, *result_);
  // No waiter yet: await_suspend is still running and will not suspend.
  if (waiter_) std::exchange(waiter_, {}).resume();
}

}  // namespace rankd
