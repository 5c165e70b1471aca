#include "cli/lane_thread.h"

#include <utility>

#include "cli/turn_budget.h"
#include "engine/io/short_slice.h"

namespace rankd {

void LaneThread::Batch::Add(std::string_view text, std::uint64_t first_line, std::uint64_t place) {
  bytes += text;
  items.push_back({bytes.size(), first_line, place});
}

void LaneThread::Batch::Clear() {
  // A buffer that has grown beyond this is given back once it is empty.
  constexpr std::size_t kKeptCapacity = std::size_t{8} << 20;
  bytes.clear();
  items.clear();
  if (bytes.capacity() > kKeptCapacity) std::string().swap(bytes);
}

LaneThread::LaneThread(SessionLoop& loop, UvLoop& stream_loop, LaneListener& listener)
    : loop_(loop.loop()),
      stream_loop_(stream_loop),
      listener_(listener),
      handler_(loop, worker_),
      thread_([this] { RunLoop(); }) {}

LaneThread::~LaneThread() {
  loop_.Stop();
  thread_.join();
}

void LaneThread::RunLoop() {
  try {
    AskForShortSlices();
    loop_.Run();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    thrown_ = std::current_exception();
    if (!std::exchange(answers_posted_, true)) stream_loop_.Post(take_answers_);
  }
}

void LaneThread::Wake() {
  if (!std::exchange(requests_posted_, true)) loop_.Post(take_requests_);
}

void LaneThread::Handle(std::string_view text, std::uint64_t first_line, std::uint64_t place) {
  giving_.Add(text, first_line, place);
  ++given_;
}

void LaneThread::Flush() {
  if (giving_.items.empty()) return;
  const std::lock_guard lock(mutex_);
  if (requests_.items.empty()) {
    std::swap(requests_, giving_);
  } else {
    giving_.ForEach([this](std::string_view text, const Batch::Item& item) {
      requests_.Add(text, item.first_line, item.place);
    });
  }
  giving_.Clear();
  Wake();
}

void LaneThread::CancelAll() {
  Flush();
  const std::lock_guard lock(mutex_);
  cancel_ = true;
  Wake();
}

void LaneThread::Abandon() {
  abandoned_ = true;
  const std::lock_guard lock(mutex_);
  abandon_ = true;
  Wake();
}

void LaneThread::FinishAbandoning(TimePoint limit) {
  if (!abandoned_) return;
  std::unique_lock lock(mutex_);
  abandoned_now_.wait_for(lock, limit - stream_loop_.Now(), [this] { return abandoned_by_lane_; });
}

bool LaneThread::HandleTaken(TimePoint end) {
  while (next_taken_ < taken_requests_.items.size()) {
    const Batch::Item& item = taken_requests_.items[next_taken_];
    handler_.Handle(taken_requests_.TextOf(next_taken_), item.first_line, item.place);
    ++next_taken_;
    if (loop_.Now() > end) break;
  }
  if (next_taken_ < taken_requests_.items.size()) return false;
  taken_requests_.Clear();
  next_taken_ = 0;
  return true;
}

void LaneThread::TakeRequests() {
  const TimePoint end = loop_.Now() + kTurnBudget;
  bool cancel = false;
  bool abandon = false;
  {
    const std::lock_guard lock(mutex_);
    requests_posted_ = false;
    cancel = std::exchange(cancel_, false);
    abandon = std::exchange(abandon_, false);
  }
  // Then all there is, at once: it is not started any more.
  if (cancel) handler_.CancelAll();
  // What was left of the last batch comes first.
  bool all = HandleTaken(cancel ? kNever : end);
  if (all) {
    {
      const std::lock_guard lock(mutex_);
      std::swap(taken_requests_, requests_);
    }
    all = HandleTaken(cancel ? kNever : end);
  }
  if (!all) {
    const std::lock_guard lock(mutex_);
    Wake();
  }
  if (!abandon) return;
  handler_.Abandon();
  {
    const std::lock_guard lock(mutex_);
    abandoned_by_lane_ = true;
  }
  abandoned_now_.notify_one();
  loop_.Stop();
}

void LaneThread::TakeAnswers() {
  {
    const std::lock_guard lock(mutex_);
    answers_posted_ = false;
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    std::swap(taken_answers_, answers_);
    active_ = active_now_;
    failures_ = failures_now_;
  }
  if (abandoned_) return;
  answered_ += taken_answers_.items.size();
  taken_answers_.ForEach([this](std::string_view text, const Batch::Item& item) {
    listener_.OnAnswer(item.place, [&text](std::string& out) { out += text; });
  });
  taken_answers_.Clear();
  listener_.OnLaneProgress();
}

void LaneThread::Worker::OnAnswer(std::uint64_t place,
                                  const std::function<void(std::string&)>& append) {
  append(answers_.bytes);
  answers_.items.push_back({answers_.bytes.size(), 0, place});
  lane_.loop_.AtTurnEnd(*this);
}

void LaneThread::Worker::OnLaneProgress() { lane_.loop_.AtTurnEnd(*this); }

void LaneThread::Worker::OnTurnEnd() {
  const std::lock_guard lock(lane_.mutex_);
  if (lane_.answers_.items.empty()) {
    std::swap(lane_.answers_, answers_);
  } else {
    answers_.ForEach([this](std::string_view text, const Batch::Item& item) {
      lane_.answers_.Add(text, 0, item.place);
    });
  }
  answers_.Clear();
  lane_.active_now_ = lane_.handler_.active();
  lane_.failures_now_ = lane_.handler_.failures();
  if (!std::exchange(lane_.answers_posted_, true)) lane_.stream_loop_.Post(lane_.take_answers_);
}

}  // namespace rankd
