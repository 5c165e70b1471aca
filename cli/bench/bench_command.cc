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

#include "cli/bench/answer_sink.h"
#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_progress.h"
#include "cli/bench/bench_requests.h"
#include "cli/bench/bench_result.h"
#include "cli/bench/bench_runner.h"
#include "cli/exit_status.h"
#include "cli/session.h"
#include "engine/io/signal_watcher.h"

namespace rankd {
namespace {

/// What a signal leaves for runs to stop, and for traces and logs after that.
constexpr std::chrono::milliseconds kBenchGrace{800};
constexpr std::chrono::milliseconds kBenchRecordsGrace{90};

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
  Interruption(Session& session, BenchRunner& runner) : session_(session), runner_(runner) {}

  void OnSignal(int number) {
    if (number_ == 0) number_ = number;
    if (std::exchange(told_runner_, true)) return;
    if (runner_done_) {
      session_.records().Interrupt();
    } else {
      runner_.Stop(kBenchGrace);
    }
  }
  void OnRunnerDone() {
    runner_done_ = true;
    told_runner_ = false;
  }
  int number() const { return number_; }

 private:
  Session& session_;
  BenchRunner& runner_;
  int number_ = 0;
  bool told_runner_ = false;
  bool runner_done_ = false;
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

int Measure(const Options& options, const Prepared& prepared, RequestParser& parser,
            Workspace& workspace) {
  const std::unique_ptr<Session> session = Session::Open(options, workspace);
  if (session == nullptr) return kExitUsage;
  UvLoop& loop = session->loop();
  const BenchLoad load = LoadOf(*options.bench);
  std::optional<BenchRunner> runner(std::in_place, load, prepared.requests.all, session->services(),
                                    parser, session->run_defaults(), session->records());
  std::optional<DrainedPipe> sink(std::in_place, loop, *runner);
  Interruption interruption(*session, *runner);
  const SignalWatcher signals(loop, {SIGINT, SIGTERM},
                              [&](int number) { interruption.OnSignal(number); });
  {
    const BenchProgress progress(loop, *runner, workspace.console());
    runner->Start(*sink, [&loop] { loop.Stop(); });
    loop.Run();
  }
  interruption.OnRunnerDone();
  const auto limit = interruption.number() != 0 ? std::optional(kBenchRecordsGrace) : std::nullopt;
  const bool written = session->records().Finish(limit);
  const BenchTally& tally = runner->tally();
  const int status = Conclude(MakeBenchResult(prepared.requests.plan, load, tally), tally, prepared,
                              *options.bench, interruption.number(), session->records().failed(),
                              workspace.console());
  // As in a stream: what does not stop cannot be waited for, and a second signal must not change
  // the status.
  if (runner->abandoned() || !written || interruption.number() != 0) std::_Exit(status);
  sink.reset();
  runner.reset();
  return status;
}

}  // namespace

int RunBench(const Options& options, Workspace& workspace) {
  Console& console = workspace.console();
  if (options.bench->concurrency_of_streams_given) {
    console.Note("--concurrency is for streams: a bench has --bench_concurrency");
  }
  RequestOptions requests;
  requests.allow_unknown_fields = options.run.allow_unknown_fields;
  requests.warn = [&console](std::string_view note) { console.Note(note); };
  RequestParser parser(std::move(requests),
                       [&](std::string_view plan) { return workspace.plans().Find(plan); });
  const Result<Prepared> prepared = Prepare(*options.bench, options.run.max_request_bytes, parser);
  if (!prepared) {
    console.Error(prepared.error().message);
    return kExitUsage;
  }
  // The loop, the threads and the watcher are made of what the system may refuse.
  try {
    return Measure(options, *prepared, parser, workspace);
  } catch (const std::system_error& error) {
    console.Error(std::string("cannot start: ") + error.what());
  } catch (const std::bad_alloc&) {
    // Not where a node or an answer was made: the state of the bench is unknown.
    console.Error("out of memory");
  }
  std::_Exit(kExitIo);
}

}  // namespace rankd
