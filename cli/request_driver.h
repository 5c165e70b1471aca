// The way of a request through the process: stdin bytes → splitter → parser → admission → run →
// response bytes → order → stdout. One loop thread, with a reader and a writer thread beside it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cli/failure_counts.h"
#include "cli/flight.h"
#include "cli/input_reader.h"
#include "cli/output_writer.h"
#include "cli/reorder_buffer.h"
#include "cli/request_records.h"
#include "engine/base/error.h"
#include "engine/io/uv_loop.h"
#include "engine/run/run.h"
#include "engine/wire/request.h"
#include "engine/wire/splitter.h"

namespace rankd {

struct DriverOptions {
  int input = 0;   ///< Descriptor of the requests.
  int output = 1;  ///< Descriptor of the answers.
  /// Requests in flight, from admission until the answer is written.
  std::size_t concurrency = 64;
  bool ordered = true;
  RequestOptions requests;
  std::size_t max_request_bytes = std::size_t{16} << 20;
  RunDefaults defaults;
  RequestRecords* records = nullptr;  ///< Never nullptr; outlives the driver.
};

/// How a stream ended.
struct DriverOutcome {
  std::uint64_t requests = 0;
  FailureCounts failures;
  int input_error = 0;   ///< errno of a failed read.
  int output_error = 0;  ///< errno of a failed write; nothing was written after it.
  int signal = 0;        ///< The signal that ended it.
  /// Something is still in flight or being written and must not be waited for: the process can only
  /// leave at once.
  bool abandoned = false;
};

/// Serves one stream. Loop thread only.
class RequestDriver final : InputListener, OutputListener, RunListener, TurnEnd {
 public:
  RequestDriver(const DriverOptions& options, UvLoop& loop, const RunServices& services,
                PlanLookup lookup);
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
  struct StreamFlight : Flight {
    using Flight::Flight;
    std::uint64_t place = 0;  ///< In order_.
  };

  class GraceTimer final : public Timer {
   public:
    explicit GraceTimer(RequestDriver& driver) : driver_(driver) {}
    void OnTimer() override { driver_.OnGraceStep(); }

   private:
    RequestDriver& driver_;
  };

  void OnInput(std::string_view bytes) override;
  void OnInputEnd(int error) override;
  void OnWritten(int error) override;
  void OnAnswer(Run& run, Result<std::span<const RowSet>> outputs) override;
  void OnIdle(Run& run) override;
  void OnTurnEnd() override;

  /// Forgets flights that will not come back in time.
  void RecordAbandoned();
  /// Admits what may be admitted, asks for input, hands over output, ends when all is done.
  void Pump();
  void Admit(const RequestText& text);
  void Refuse(std::string_view id_json, std::uint64_t place, const Error& error);
  void OnGraceStep();
  void GiveUp();

  DriverOptions options_;
  UvLoop& loop_;
  RequestSplitter splitter_;
  RequestParser parser_;
  ReorderBuffer order_;
  InputReader reader_;
  OutputWriter writer_;
  GraceTimer grace_timer_{*this};

  FlightPool<StreamFlight> flights_;
  std::size_t in_flight_ = 0;  ///< Admitted, answer not written.
  std::size_t unflushed_ = 0;  ///< Answers in the writer's buffer.
  std::size_t being_written_ = 0;
  bool more_text_ = false;  ///< The splitter may hold another request.
  bool input_ended_ = false;
  bool stopping_ = false;
  std::string scratch_;
  TimePoint give_up_at_{};          ///< Once a signal has come.
  std::uint64_t taken_before_ = 0;  ///< At the last step of the grace period.
  bool past_grace_ = false;
  DriverOutcome outcome_;
};

}  // namespace rankd
