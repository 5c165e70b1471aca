#include "cli/driver.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "cli/exit_status.h"
#include "cli/request_driver.h"
#include "cli/request_records.h"
#include "cli/standard_descriptors.h"
#include "cli/store_clients.h"
#include "engine/io/signal_watcher.h"
#include "engine/io/thread_pool.h"
#include "engine/io/uv_loop.h"

namespace rankd {
namespace {

DriverOptions DriverOptionsOf(const Options& options, Console& console, RequestRecords& records) {
  DriverOptions driver;
  driver.records = &records;
  driver.concurrency = options.run.concurrency;
  driver.ordered = !options.run.unordered;
  driver.requests.allow_unknown_fields = options.run.allow_unknown_fields;
  driver.requests.warn = [&console](std::string_view note) { console.Note(note); };
  driver.max_request_bytes = options.run.max_request_bytes;
  driver.deadline = options.run.deadline;
  driver.node_timeout = options.run.node_timeout;
  driver.cpu = options.run.cpu;
  return driver;
}

std::size_t PoolThreads(const RunOptions& options) {
  return options.cpu_threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

/// "3 of 100 requests failed: bad_data 2, node_timeout 1", the most frequent first.
std::string Summary(const DriverOutcome& outcome) {
  std::vector<std::size_t> codes;
  for (std::size_t i = 0; i < kErrorCodeCount; ++i) {
    if (outcome.failures[i] > 0) codes.push_back(i);
  }
  // Codes break ties. (std::stable_sort of libstdc++ 12 warns under clang.)
  std::sort(codes.begin(), codes.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(outcome.failures[b], a) < std::pair(outcome.failures[a], b);
  });
  std::string text = std::to_string(outcome.failed()) + " of " + std::to_string(outcome.requests) +
                     " requests failed:";
  for (const std::size_t code : codes) {
    text += " " + std::string(CodeName(static_cast<ErrorCode>(code))) + " " +
            std::to_string(outcome.failures[code]) + ",";
  }
  text.pop_back();
  return text;
}

/// Says how the stream ended; the exit status.
int Conclude(const DriverOutcome& outcome, const RequestRecords& records, Console& console) {
  if (outcome.output_error == EPIPE) {
    // As the signal would have ended us, had libuv's sockets not made us ignore it.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (outcome.failed() > 0) console.Note(Summary(outcome));
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
  return outcome.failed() > 0 ? kExitFailed : kExitOk;
}

}  // namespace

namespace {

/// What a signal leaves for traces and logs, after the answers.
constexpr std::chrono::milliseconds kRecordsGrace{90};

/// What the loop, its signals and the reader open between them.
constexpr int kLoopDescriptors = 8;

int Serve(const Options& options, Workspace& workspace) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit fails instead
  RequireDescriptors(kLoopDescriptors);
  UvLoop loop;
  const std::unique_ptr<StoreClients> stores = StoreClients::Make(workspace, loop);
  if (stores == nullptr) return kExitUsage;
  const std::unique_ptr<RequestRecords> records =
      RequestRecords::Open(options.records, loop, workspace.console());
  if (records == nullptr) return kExitUsage;
  ThreadPool pool(PoolThreads(options.run));
  RunServices services;
  services.loop = &loop;
  services.executor = &pool;
  services.clients = stores->clients();

  std::optional<RequestDriver> driver(
      std::in_place, DriverOptionsOf(options, workspace.console(), *records), loop, services,
      [&](std::string_view plan) { return workspace.plans().Find(plan); });
  bool served = false;
  int late_signal = 0;
  const SignalWatcher signals(loop, {SIGINT, SIGTERM}, [&](int number) {
    if (served) {
      late_signal = number;
      records->Interrupt();
    } else {
      driver->OnSignal(number);
    }
  });
  DriverOutcome outcome;
  try {
    outcome = driver->Serve();
  } catch (const std::bad_alloc&) {
    // Not where a node or an answer was made: the state of the stream is unknown.
    workspace.console().Error("out of memory");
    driver->FinishWriting();
    std::_Exit(kExitIo);
  }
  served = true;
  const auto limit = outcome.signal != 0 ? std::optional(kRecordsGrace) : std::nullopt;
  if (!records->Finish(limit)) outcome.abandoned = true;
  if (outcome.signal == 0) outcome.signal = late_signal;
  const int status = Conclude(outcome, *records, workspace.console());
  // What is stuck in a write or in work that does not stop cannot be waited for. After a signal, a
  // second one that comes while the watcher goes away would change the status.
  if (outcome.abandoned || outcome.signal != 0) std::_Exit(status);
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
