// A lane on a loop and a thread of its own. What it is given and what it answers cross between the
// threads in batches, one for each turn of a loop.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/request_handler.h"
#include "cli/request_lane.h"
#include "cli/session_loop.h"
#include "engine/io/member_calls.h"
#include "engine/io/uv_loop.h"

namespace rankd {

/// All public methods on the stream's thread.
class LaneThread final : public RequestLane {
 public:
  /// `loop` is turned by the thread from now on. What the thread throws, where there is no memory
  /// for its own state, is thrown on `stream_loop`. Both loops and `listener` must outlive it.
  /// Throws std::system_error.
  LaneThread(SessionLoop& loop, UvLoop& stream_loop, LaneListener& listener);
  /// Waits for the thread: where something is stuck on it, the process can only leave.
  ~LaneThread() override;

  void Handle(std::string_view text, std::uint64_t first_line, std::uint64_t place) override;
  void Flush() override;
  void CancelAll() override;
  bool idle() const override { return given_ == answered_ && active_ == 0; }
  void Abandon() override;
  void FinishAbandoning(TimePoint limit) override;
  FailureCounts failures() const override { return failures_; }
  std::size_t outstanding() const override { return given_ - answered_; }

 private:
  /// Texts side by side: what one side has for the other. One batch waits at most, whatever its
  /// size, and both sides keep the memory of theirs.
  struct Batch {
    struct Item {
      std::size_t end;  ///< In bytes.
      std::uint64_t first_line;
      std::uint64_t place;
    };
    void Add(std::string_view text, std::uint64_t first_line, std::uint64_t place);
    void Clear();
    std::string_view TextOf(std::size_t i) const {
      const std::size_t begin = i == 0 ? 0 : items[i - 1].end;
      return std::string_view(bytes).substr(begin, items[i].end - begin);
    }
    /// Calls `f(text, item)` for each.
    template <typename F>
    void ForEach(F&& f) const {
      for (std::size_t i = 0; i < items.size(); ++i) f(TextOf(i), items[i]);
    }
    std::string bytes;
    std::vector<Item> items;
  };

  /// The lane's side: what its handler has to say.
  class Worker final : public LaneListener, TurnEnd {
   public:
    explicit Worker(LaneThread& lane) : lane_(lane) {}
    void OnAnswer(std::uint64_t place, const std::function<void(std::string&)>& append) override;
    void OnLaneProgress() override;

   private:
    void OnTurnEnd() override;

    LaneThread& lane_;
    Batch answers_;
  };

  void Wake();  ///< Under mutex_: has the lane take what is there for it.
  void RunLoop();
  void TakeRequests();  ///< On the lane's thread, as the next.
  /// Has the handler start what has been taken, until `end`. False when something is left.
  bool HandleTaken(TimePoint end);
  void TakeAnswers();

  UvLoop& loop_;
  UvLoop& stream_loop_;
  LaneListener& listener_;

  // The stream's side.
  Batch giving_;
  Batch taken_answers_;
  std::size_t given_ = 0;
  std::size_t answered_ = 0;
  std::size_t active_ = 0;  ///< Runs that had not stopped when the lane last said so.
  bool abandoned_ = false;

  // The lane's side.
  Worker worker_{*this};
  RequestHandler handler_;
  Batch taken_requests_;
  std::size_t next_taken_ = 0;  ///< Of it: not started yet.

  std::mutex mutex_;
  std::condition_variable abandoned_now_;
  // All of the following under mutex_.
  Batch requests_;
  Batch answers_;
  std::size_t active_now_ = 0;
  FailureCounts failures_now_;
  bool cancel_ = false;
  bool abandon_ = false;
  bool abandoned_by_lane_ = false;
  std::exception_ptr thrown_;  ///< What ended the thread.
  bool requests_posted_ = false;
  bool answers_posted_ = false;

  FailureCounts failures_;  ///< The stream's side.
  MemberTask<LaneThread, &LaneThread::TakeRequests> take_requests_{*this};
  MemberTask<LaneThread, &LaneThread::TakeAnswers> take_answers_{*this};
  std::thread thread_;
};

}  // namespace rankd
