#include "cli/bench/bench_command.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_lanes.h"
#include "cli/bench/bench_progress.h"
#include "cli/bench/bench_requests.h"
#include "cli/bench/bench_result.h"
#include "cli/bench/bench_runner.h"
#include "cli/exit_status.h"
#include "cli/session.h"
#include "engine/io/signal_watcher.h"

namespace rankd {
namespace {

/// What a signal leaves for runs to stop, before traces and logs.
constexpr std::chrono::milliseconds kBenchGrace{800};

/// How late UvLoop's timers are at most on an idle machine.
constexpr std::chrono::microseconds kTimerSlack{1200};

BenchLoad LoadOf(const BenchOptions& options) {
  BenchLoad load;
  load.iterations = options.iterations;
  load.warmup = options.warmup;
  load.places = options.concurrency.value_or(options.rate ? BenchOptions::kOpenLoopPlaces : 1);
  load.rate = options.rate;
  load.timer_slack = kTimerSlack;
  return load;
}

/// Everything that must be right before anything runs.
struct Prepared {
  BenchRequests requests;
  std::optional<BenchBaseline> baseline;
};

Result<Prepared> Prepare(const BenchOptions& bench, std::size_t max_request_bytes,
                         RequestParser& parser) {
  Prepared prepared;
  RANKD_TRY(prepared.requests, LoadBenchRequests(bench.requests_file, max_request_bytes, parser));
  if (bench.compare_file) {
    RANKD_TRY(prepared.baseline, ReadBenchBaseline(*bench.compare_file, prepared.requests.plan));
  }
  return prepared;
}

/// A signal that came, and to whom it is told.
class Interruption {
 public:
  Interruption(RecordFiles& files, BenchLanes& lanes) : files_(files), lanes_(lanes) {}

  void OnSignal(int number) {
    const bool first = number_ == 0;
    if (first) number_ = number;
    if (lanes_done_) {
      files_.Hurry(first ? RecordFiles::kGrace : RecordFiles::kLeastGrace);
    } else if (first) {
      lanes_.Stop(kBenchGrace);
    }
  }
  void OnLanesDone() { lanes_done_ = true; }
  int number() const { return number_; }

 private:
  RecordFiles& files_;
  BenchLanes& lanes_;
  int number_ = 0;
  bool lanes_done_ = false;
};

/// Says what was found; the exit status.
int Conclude(const BenchResult& result, const BenchTally& tally, const Prepared& prepared,
             const BenchOptions& bench, int signal, bool records_failed, Console& console) {
  console.Print(BenchResultJson(result));
  console.Show(BenchResultTable(result, console));
  if (result.errors > 0) console.Note(tally.failures.Summary(result.iterations));
  if (signal != 0) return 128 + signal;
  bool passed = result.errors == 0;
  if (prepared.baseline && !CompareBench(result, *prepared.baseline, bench.fail_over, console)) {
    passed = false;
  }
  if (records_failed) return kExitIo;
  return passed ? kExitOk : kExitFailed;
}

int Measure(const Options& options, const Prepared& prepared, Workspace& workspace) {
  const std::unique_ptr<Session> session = Session::Open(options, workspace);
  if (session == nullptr) return kExitUsage;
  UvLoop& loop = session->loop();
  RecordFiles& files = session->record_files();
  const BenchLoad load = LoadOf(*options.bench);
  std::optional<BenchLanes> lanes(std::in_place, *session, load, prepared.requests.all);
  Interruption interruption(files, *lanes);
  const SignalWatcher signals(loop, {SIGINT, SIGTERM},
                              [&](int number) { interruption.OnSignal(number); });
  {
    const BenchProgress progress(loop, load, lanes->runners(), workspace.console());
    lanes->Run();
  }
  interruption.OnLanesDone();
  const auto limit =
      interruption.number() != 0 ? std::optional(RecordFiles::kLeastGrace) : std::nullopt;
  const bool written = files.Finish(limit);
  const BenchTally tally = lanes->tally();
  BenchResult result = MakeBenchResult(prepared.requests.plan, load, tally);
  result.loops = options.run.loops;
  const int status = Conclude(result, tally, prepared, *options.bench, interruption.number(),
                              files.failed(), workspace.console());
  // As in a stream: what does not stop cannot be waited for, and a second signal must not change
  // the status.
  if (lanes->abandoned() || !written || interruption.number() != 0) std::_Exit(status);
  lanes.reset();
  return status;
}

}  // namespace

int RunBench(const Options& options, Workspace& workspace) {
  Console& console = workspace.console();
  if (options.bench->concurrency_of_streams_given) {
    console.Note("--concurrency is for streams: a bench has --bench_concurrency");
  }
  RequestParser parser(RequestOptionsOf(options, console),
                       [&](std::string_view plan) { return workspace.plans().Find(plan); });
  const Result<Prepared> prepared = Prepare(*options.bench, options.run.max_request_bytes, parser);
  if (!prepared) {
    console.Error(prepared.error().message);
    return kExitUsage;
  }
  // The loop, the threads and the watcher are made of what the system may refuse.
  try {
    return Measure(options, *prepared, workspace);
  } catch (const std::system_error& error) {
    console.Error(std::string("cannot start: ") + error.what());
  } catch (const std::bad_alloc&) {
    // Not where a node or an answer was made: the state of the bench is unknown.
    console.Error("out of memory");
  }
  std::_Exit(kExitIo);
}

}  // namespace rankd
