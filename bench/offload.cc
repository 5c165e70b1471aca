// What handing work to the pool costs: the round trip of a job that does nothing, and a chain
// vm -> filter -> sort over 10 to 1,000,000 rows inline, on the pool and as the engine chooses by
// itself; from these the cost of work at which it may go to the pool.
//
// usage: offload [--json] [--rounds N] [--only trip|chain]
//
// The candidates take turns; medians of the rounds, with the least and the most. How far `auto` is
// behind the best is the median of what the rounds say, each of which has one speed of the machine.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/graph_runner.h"
#include "bench/rounds.h"
#include "engine/base/cpu_mode.h"
#include "engine/run/cpu_policy.h"
#include "tasks/builtin.h"

namespace rankd {
namespace {

/// A job that does nothing and comes back, again and again, while the loop sleeps in between.
class Trip final : private PoolJob, private LoopTask {
 public:
  /// Runs `trips` of them, one after the other.
  void Run(std::size_t trips) {
    left_ = trips;
    pool_.Submit(*this);
    loop_.Run();
  }

 private:
  void Execute(std::uint32_t) override { loop_.Post(*this); }
  void OnLoop() override {
    if (--left_ == 0) {
      loop_.Stop();
    } else {
      pool_.Submit(*this);
    }
  }

  UvLoop loop_;
  ThreadPool pool_{1};
  std::size_t left_ = 0;
};

struct OffloadOptions {
  bool json = false;
  std::string_view only;
  std::size_t rounds = 31;
};

/// Microseconds of a round trip: the median of the rounds.
double MeasureTrip(const OffloadOptions& options) {
  constexpr std::size_t kTrips = 5000;
  Trip trip;
  std::vector<Candidate> candidates;
  candidates.push_back({"round trip", [&] { trip.Run(kTrips); }});
  MeasureRounds(candidates, options.rounds, 1, kTrips);
  const Candidate& taken = candidates.front();
  std::printf(options.json ? R"({"what":"round trip","us":%.2f,"least":%.2f,"most":%.2f})"
                             "\n"
                           : "round trip of an offload: %.2f us (least %.2f, most %.2f)\n",
              taken.median() / 1e3, taken.least() / 1e3, taken.most() / 1e3);
  return taken.median() / 1e3;
}

std::shared_ptr<const Graph> ChainOf(std::size_t rows) {
  const std::string nodes =
      R"({"node_id":"rows","op":"fixed_source","params":{"row_count":)" + std::to_string(rows) +
      R"(}},{"node_id":"vm","op":"vm","inputs":["rows"],)"
      R"("params":{"out_key":"n","expr":"(id * 7919) % 10007"}},)"
      R"({"node_id":"keep","op":"filter","inputs":["vm"],"params":{"pred":"n >= 5000"}},)"
      R"({"node_id":"sort","op":"sort","inputs":["keep"],"params":{"key":"n","order":"desc"}})";
  return BuildOrExit(BuiltinTasks(), nodes, R"("sort")");
}

struct Mode {
  const char* name;
  CpuMode mode;
};

/// Every --cpu mode of this build; a chain on the pool as one job belongs here when there is such
/// a mode.
std::vector<Mode> Modes() {
  std::vector<Mode> modes{{"inline", CpuMode::kInline}, {"pool", CpuMode::kOffload}};
  if (const auto fused = CpuModeFromName("fused")) modes.push_back({"fused", *fused});
  modes.push_back({"auto", CpuMode::kAuto});
  return modes;
}

void MeasureChain(const OffloadOptions& options) {
  const std::vector<Mode> modes = Modes();
  GraphRunner runner;
  if (!options.json) {
    std::printf("\n%10s", "rows");
    for (const Mode& mode : modes) std::printf("%11s us%9s%9s", mode.name, "least", "most");
    std::printf("%16s\n", "auto over best");
  }
  for (std::size_t rows = 10; rows <= 1'000'000; rows *= 10) {
    for (const std::size_t size : {rows, rows * 3}) {
      if (size > 1'000'000) continue;
      const auto graph = ChainOf(size);
      std::vector<Candidate> candidates;
      for (const Mode& mode : modes) {
        candidates.push_back(
            {mode.name, [&runner, &graph, mode] { runner.RunOnce(graph, mode.mode); }});
      }
      const std::size_t runs = std::clamp<std::size_t>(100'000 / size, 1, 1000);
      MeasureRounds(candidates, options.rounds, runs, 1);
      double behind = 0;
      for (const Candidate& candidate : candidates) {
        if (candidate.name != "auto") {
          behind = std::max(behind, candidates.back().TimesOf(candidate));
        }
      }
      std::printf(options.json ? R"({"what":"chain","rows":%zu)" : "%10zu", size);
      for (const Candidate& candidate : candidates) {
        if (options.json) {
          std::printf(R"(,"%s_us":%.2f)", candidate.name.c_str(), candidate.median() / 1e3);
        } else {
          std::printf("%14.1f%9.1f%9.1f", candidate.median() / 1e3, candidate.least() / 1e3,
                      candidate.most() / 1e3);
        }
      }
      std::printf(options.json ? ",\"auto_over_best\":%.3f}\n" : "%16.2f\n", behind);
    }
  }
}

}  // namespace
}  // namespace rankd

int main(int argc, char** argv) {
  rankd::OffloadOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json") options.json = true;
    if (argument == "--only" && i + 1 < argc) options.only = argv[++i];
    if (argument == "--rounds" && i + 1 < argc) {
      options.rounds = std::strtoul(argv[++i], nullptr, 10);
    }
  }
  if (options.only.empty() || options.only == "trip") {
    const double trip_us = rankd::MeasureTrip(options);
    // Work of ten round trips is slowed down by a tenth when it is handed over.
    std::printf(options.json
                    ? R"({"what":"threshold","us":%.1f,"engine_us":%.1f})"
                      "\n"
                    : "work of ten round trips: %.1f us; the engine hands over above %.1f us\n",
                trip_us * 10, rankd::kInlineNanoseconds / 1e3);
  }
  if (options.only.empty() || options.only == "chain") rankd::MeasureChain(options);
}
