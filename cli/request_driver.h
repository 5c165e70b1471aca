// The way of a request through the process: stdin bytes → splitter → admission → lane (parser →
// run → response bytes) → order → stdout. One loop thread, with a reader and a writer beside it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/failure_counts.h"
#include "cli/input_reader.h"
#include "cli/output_writer.h"
#include "cli/reorder_buffer.h"
#include "cli/request_lane.h"
#include "cli/request_records.h"
#include "cli/session.h"
#include "engine/base/error.h"
#include "engine/io/member_calls.h"
#include "engine/io/uv_loop.h"
#include "engine/wire/splitter.h"

namespace rankd {

struct DriverOptions {
  int input = 0;   ///< Descriptor of the requests.
  int output = 1;  ///< Descriptor of the answers.
  /// Requests in flight, from admission until the answer is written.
  std::size_t concurrency = 64;
  bool ordered = true;
  std::size_t max_request_bytes = std::size_t{16} << 20;
};

/// How a stream ended.
struct DriverOutcome {
  std::uint64_t requests = 0;
  FailureCounts failures;
  int input_error = 0;    ///< errno of a failed read.
  int output_error = 0;   ///< errno of a failed write; nothing was written after it.
  int signal = 0;         ///< The signal that ended it,
  TimePoint signalled{};  ///< and when it came.
  /// Something is still in flight or being written and must not be waited for: the process can only
  /// leave at once.
  bool abandoned = false;
};

/// Serves one stream, on the session's own loop, through a lane for each loop that requests run on.
/// Loop thread only.
class RequestDriver final : InputListener, OutputListener, LaneListener, TurnEnd {
 public:
  /// `session` must outlive it.
  RequestDriver(const DriverOptions& options, Session& session);
  ~RequestDriver();

  /// Turns the loop until the stream has ended and every answer is written, or until a signal and
  /// its grace period have passed. Once.
  DriverOutcome Serve();

  /// Waits until what is being written has been: for the end of a process that cannot go on.
  void FinishWriting() { writer_.Finish(); }

  /// Reads no more; what is in flight is answered as cancelled, within a second, unless a reader is
  /// slow to take a line that has been begun. Only then do later signals change anything: they end
  /// it at once.
  void OnSignal(int number);

 private:
  void OnInput(std::string_view bytes) override;
  void OnInputEnd(int error) override;
  void OnWritten(int error) override;
  void OnAnswer(std::uint64_t place, const std::function<void(std::string&)>& append) override;
  void OnLaneProgress() override;
  void OnTurnEnd() override;

  /// Admits what may be admitted, asks for input, hands over output, ends when all is done.
  void Pump();
  /// Admits requests for a turn's budget; what is left, in a later turn.
  void AdmitSome();
  void OnMore();
  void Admit(const RequestText& text);
  /// To the lane that has least to do.
  RequestLane& NextLane();
  void Refuse(std::uint64_t first_line, std::uint64_t place, const Error& error);
  void CancelAll();
  bool LanesAreIdle() const;
  void OnGraceStep();
  void GiveUp();

  DriverOptions options_;
  UvLoop& loop_;
  RecordFiles& files_;
  RequestRecords records_;
  RequestSplitter splitter_;
  ReorderBuffer order_;
  InputReader reader_;
  OutputWriter writer_;
  MemberTimer<RequestDriver, &RequestDriver::OnGraceStep> grace_timer_{*this};
  MemberTask<RequestDriver, &RequestDriver::OnMore> more_{
      *this};  ///< With admitting, a turn later.
  bool more_posted_ = false;

  std::vector<std::unique_ptr<RequestLane>> lanes_;
  std::size_t in_flight_ = 0;  ///< Admitted, answer not written.
  std::size_t unflushed_ = 0;  ///< Answers in the writer's buffer.
  std::size_t being_written_ = 0;
  bool more_text_ = false;  ///< The splitter may hold another request.
  bool input_ended_ = false;
  bool stopping_ = false;
  bool served_ = false;     ///< What reader and writer still have to say means nothing any more.
  TimePoint give_up_at_{};  ///< Once a signal has come.
  std::uint64_t taken_before_ = 0;  ///< At the last step of the grace period.
  bool past_grace_ = false;
  DriverOutcome outcome_;
};

}  // namespace rankd
