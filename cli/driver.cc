#include "cli/driver.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include <unistd.h>

#include "cli/exit_status.h"
#include "cli/record_files.h"
#include "cli/request_driver.h"
#include "cli/session.h"
#include "engine/io/signal_watcher.h"

namespace rankd {
namespace {

/// Giving every block back before the system takes them all costs a short run a fiftieth of its
/// time. Sanitizers see by it what was forgotten.
#ifdef RANKD_SANITIZED
constexpr bool kFreesAtEnd = true;
#else
constexpr bool kFreesAtEnd = false;
#endif

DriverOptions DriverOptionsOf(const Options& options) {
  DriverOptions driver;
  driver.concurrency = options.run.concurrency;
  driver.ordered = !options.run.unordered;
  driver.max_request_bytes = options.run.max_request_bytes;
  return driver;
}

/// Says how the stream ended; the exit status.
int Conclude(const DriverOutcome& outcome, const RecordFiles& records, Console& console) {
  if (outcome.output_error == EPIPE) {
    // As the signal would have ended us, had libuv's sockets not made us ignore it.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  const std::uint64_t failed = outcome.failures.total();
  if (failed > 0) console.Note(outcome.failures.Summary(outcome.requests));
  if (outcome.output_error != 0) {
    console.Error("cannot write to stdout: " +
                  std::generic_category().message(outcome.output_error));
    return kExitIo;
  }
  if (outcome.input_error != 0) {
    console.Error("cannot read stdin: " + std::generic_category().message(outcome.input_error));
    return kExitIo;
  }
  if (outcome.signal != 0) return 128 + outcome.signal;
  if (records.failed()) return kExitIo;
  return failed > 0 ? kExitFailed : kExitOk;
}

/// What a signal leaves for traces and logs, twice, after the answers: what these have not taken of
/// the second, and a little at least.
std::optional<std::chrono::milliseconds> RecordsLimit(const DriverOutcome& outcome, TimePoint now) {
  if (outcome.signal == 0) return std::nullopt;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(outcome.signalled - now);
  return std::max(RecordFiles::kLeastGrace, RecordFiles::kGrace + left / 2);
}

int Serve(const Options& options, Workspace& workspace) {
  const std::unique_ptr<Session> session = Session::Open(options, workspace);
  if (session == nullptr) return kExitUsage;
  RecordFiles& records = session->record_files();
  std::optional<RequestDriver> driver(std::in_place, DriverOptionsOf(options), *session);
  DriverOutcome outcome;
  bool served = false;
  const SignalWatcher signals(session->loop(), {SIGINT, SIGTERM}, [&](int number) {
    if (!served) {
      driver->OnSignal(number);
      return;
    }
    // The first one leaves what is written as long as it would have left requests and records.
    records.Hurry(outcome.signal == 0 ? RecordFiles::kGrace : RecordFiles::kLeastGrace);
    if (outcome.signal == 0) outcome.signal = number;
  });
  try {
    outcome = driver->Serve();
  } catch (const std::exception& error) {
    // Not where a node or an answer was made: the state of the stream is unknown. It is memory that
    // has run out, or, which is often the same, a thread that the system refuses.
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    workspace.console().Error(memory ? "out of memory"
                                     : std::string("cannot go on: ") + error.what());
    driver->FinishWriting();
    std::_Exit(kExitIo);
  }
  served = true;
  if (!records.Finish(RecordsLimit(outcome, session->loop().Now()))) outcome.abandoned = true;
  const int status = Conclude(outcome, records, workspace.console());
  // What is stuck in a write or in work that does not stop cannot be waited for. After a signal, a
  // second one that comes while the watcher goes away would change the status.
  if (!kFreesAtEnd || outcome.abandoned || outcome.signal != 0) std::_Exit(status);
  driver.reset();
  return status;
}

}  // namespace

int RunRequests(const Options& options, Workspace& workspace) {
  // The loop, the threads and the watcher are made of what the system may refuse.
  try {
    return Serve(options, workspace);
  } catch (const std::system_error& error) {
    workspace.console().Error(std::string("cannot start: ") + error.what());
    std::_Exit(kExitIo);
  }
}

}  // namespace rankd
