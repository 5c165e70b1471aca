#include <chrono>
#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/blocks.h"
#include "engine/task/spec.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// `bool slept = co_await pause;`: resumes when the loop's time has come, with false as soon as
/// `stop` is stopped. Loop thread.
class Pause final : public Timer, public StopCallback {
 public:
  Pause(Loop& loop, StopSource& stop, TimePoint due) : loop_(&loop), stop_(&stop), due_(due) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    if (!stop_->Attach(*this)) return false;
    waiter_ = waiter;
    loop_->Arm(*this, due_);
    return true;
  }
  bool await_resume() const noexcept { return slept_; }

  void OnTimer() override {
    Detach();
    slept_ = true;
    waiter_.resume();  // may destroy this
  }
  void OnStop() override {
    Disarm();
    waiter_.resume();  // may destroy this
  }

 private:
  Loop* loop_;
  StopSource* stop_;
  TimePoint due_;
  std::coroutine_handle<> waiter_;
  bool slept_ = false;
};

/// The input rows, later; or a failure.
class Sleep final : public AsyncTask {
 public:
  Sleep(NumberParam duration_ms, bool fail) : duration_ms_(std::move(duration_ms)), fail_(fail) {}

  KeySet OutputKeys(std::span<const KeySet> inputs) const override {
    return inputs.empty() ? KeySet() : inputs[0];
  }

  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    Result<std::int64_t> duration_ms = duration_ms_.Evaluate(context);
    if (!duration_ms) co_return std::unexpected(std::move(duration_ms).error());
    Pause pause(*context.loop, *context.stop_source,
                context.loop->Now() + std::chrono::milliseconds(*duration_ms));
    const bool slept = co_await pause;
    if (!slept) co_return Cancelled();
    if (fail_) co_return Fail(ErrorCode::kTaskFailed, "fail_after_sleep is set");
    if (context.inputs.empty()) co_return RowSet();
    co_return context.inputs[0];
  }

 private:
  NumberParam duration_ms_;
  bool fail_;
};

std::unique_ptr<const Task> MakeSleep(TaskBuilder& builder) {
  constexpr std::int64_t kLongestMs = std::int64_t{1} << 31;  // 24 days
  std::optional<NumberParam> duration_ms =
      builder.Number("duration_ms", 0, kLongestMs, std::nullopt);
  const bool fail = builder.Flag("fail_after_sleep", false);
  if (!duration_ms) return nullptr;
  return std::make_unique<Sleep>(*std::move(duration_ms), fail);
}

constexpr ParamDoc kSleepParams[] = {
    {"duration_ms", "int or {expr}", true, "", "how long, on a timer"},
    {"fail_after_sleep", "bool", false, "false", "then fail with task_failed"},
};

}  // namespace

constinit const TaskSpec kSleepTask = {
    .op = "sleep",
    .doc = "The input rows (no rows without an input), after a while.",
    .min_inputs = 0,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "io",
    .params = kSleepParams,
    .make = MakeSleep};

}  // namespace rankd
